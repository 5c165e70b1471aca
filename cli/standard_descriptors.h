// stdin, stdout and stderr, kept from being taken for something else.
#pragma once

namespace rankd {

/// A standard descriptor that the caller closed (`<&-`) would be handed to the first socket or file
/// opened, and then read or written as if it were stdin or stdout. This fills the gap with one that
/// fails every read or write with EBADF, as the closed one would. First thing in main.
void ReserveStandardDescriptors();

}  // namespace rankd
