// From the text of a data file to the store, in one pass, without a tree and without a copy: of a
// short run, reading its data would be the greatest part.
#pragma once

namespace rankd {

class MemoryStore;

/// Fills a store that holds nothing but its text, of which keys, texts and ints stay parts. False,
/// with the store in any state but for its text, for what is not valid, whatever it is:
/// store_problems.h tells what. std::bad_alloc where there is no memory.
bool ReadStore(MemoryStore& store);

}  // namespace rankd
