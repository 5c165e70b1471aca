// The --bench flags, checked and turned into values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace rankd {

class WantedNames;  // cli/flag_values.h

struct BenchOptions {
  std::uint64_t iterations = 0;  ///< At least 1.
  std::uint64_t warmup = 0;
  /// Requests in flight. Closed loop: kept full, by default 1. Open loop: not exceeded; nullopt for
  /// kOpenLoopPlaces.
  std::optional<std::size_t> concurrency;
  /// Requests a second: an open loop. Nullopt: a closed one.
  std::optional<double> rate;
  std::optional<std::string> requests_file;
  std::optional<std::string> compare_file;
  double fail_over = 10;                      ///< Percent.
  bool concurrency_of_streams_given = false;  ///< --concurrency, which is nothing to a bench.

  /// Bounds the memory of an open loop that is faster than what it measures.
  static constexpr std::size_t kOpenLoopPlaces = 16'384;
};

/// The flags as they were given. Each must have a place while the command line is parsed.
struct BenchFlags {
  std::string bench, concurrency, warmup, rate, requests, compare, fail_over;
};

/// Those that are wanted.
void AddBenchFlags(CLI::App& app, const WantedNames& wanted, BenchFlags& flags);

/// Nullopt without --bench. Throws UsageError (cli/flag_values.h).
std::optional<BenchOptions> CheckBenchFlags(const CLI::App& app, const BenchFlags& flags);

}  // namespace rankd
