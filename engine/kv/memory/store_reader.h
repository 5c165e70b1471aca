// From the text of a data file to the store, in one pass and without a tree: of a short run,
// reading its data would be the greatest part.
#pragma once

#include <string>

namespace rankd {

class MemoryStore;

/// Fills an empty store. False, with the store in any state, for what is not valid, whatever it is:
/// store_problems.h tells what. `text` is the same afterwards, with room behind it.
bool ReadStore(std::string& text, MemoryStore& store);

}  // namespace rankd
