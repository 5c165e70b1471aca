// How the system is to share a processor between a loop and threads that compute.
#pragma once

namespace rankd {

/// For the calling thread, which runs for a moment at a time: it is to get short slices, and each
/// the sooner for it. Shares and priorities are what they were; threads it starts are as before.
/// Nothing happens where the system does not know of it (Linux before 6.12).
void AskForShortSlices();

}  // namespace rankd
