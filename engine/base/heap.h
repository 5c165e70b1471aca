// How a process of ours uses the C library's heap.
#pragma once

namespace rankd {

/// Sets the heap up for many small blocks of which some die late, on several threads. Once, first
/// thing in main, of programs that run plans; without it all works, with pauses.
void SetUpHeap();

}  // namespace rankd
