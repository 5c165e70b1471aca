// stdin, stdout and stderr, kept from being taken for something else; and enough others to start.
#pragma once

namespace rankd {

/// A standard descriptor that the caller closed (`<&-`) would be handed to the first socket or file
/// opened, and then read or written as if it were stdin or stdout. This fills the gap with one that
/// fails every read or write with EBADF, as the closed one would. First thing in main.
void ReserveStandardDescriptors();

/// Throws std::system_error unless `count` more descriptors can be opened. libuv aborts the process
/// without a word when it gets none for its signal pipes, so this is asked before it begins.
void RequireDescriptors(int count);

}  // namespace rankd
