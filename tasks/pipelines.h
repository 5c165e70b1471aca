// How much of a store is asked for at once, and read at once, by tasks of many rows: a node must
// not keep the loop from its timers, nor a pipeline everybody else's commands waiting behind it.
#pragma once

#include <cstddef>

namespace rankd {

/// Hashes one pipeline asks for at the most; they are read before the next is sent.
inline constexpr std::size_t kHashesPerPipeline = 8'192;
/// Fields of them.
inline constexpr std::size_t kFieldsPerPipeline = 16'384;
/// The same of lists, whose keys are texts, not numbers.
inline constexpr std::size_t kListsPerPipeline = 4'096;
/// From so many commands on the loop gets a turn before a pipeline and before what comes of it is
/// read: the embedded store answers within the turn that asks.
inline constexpr std::size_t kManyCommands = 2'048;
/// Entries of lists, or fields of hashes, that are read in one turn.
inline constexpr std::size_t kValuesPerTurn = 8'192;

}  // namespace rankd
