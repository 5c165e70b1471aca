// What a bench has found, for programs and for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/bench/bench_options.h"
#include "cli/bench/bench_runner.h"
#include "cli/console.h"

namespace rankd {

/// Microseconds. Of requests that succeeded.
struct LatencySummary {
  double avg, min, p50, p90, p99, p999, max;
};

struct BenchResult {
  std::string plan;
  std::uint64_t iterations = 0;  ///< That were answered, with a failure or without.
  std::uint64_t errors = 0;
  std::size_t concurrency = 1;
  std::uint32_t loops = 1;
  double total_ms = 0;
  double throughput_rps = 0;              ///< Of requests that succeeded; 0 without any.
  std::optional<LatencySummary> latency;  ///< Nullopt when none succeeded.
  std::uint64_t max_rss_bytes = 0;

  struct OpenLoop {
    double rate_rps;
    std::uint64_t late;  ///< Due while all places were taken.
    std::size_t peak_in_flight;
  };
  std::optional<OpenLoop> open_loop;
};

/// `max_rss_bytes` is the process's own.
BenchResult MakeBenchResult(std::string plan, const BenchLoad& load, const BenchTally& tally);

/// One line: plan, iterations, errors, concurrency, total_ms, throughput_rps, avg_us, min_us,
/// p50_us, p90_us, p99_us, p999_us, max_us, max_rss_bytes; of several loops also loops; of an open
/// loop also rate_rps, late, peak_in_flight. Without a request that succeeded the latencies are
/// null.
std::string BenchResultJson(const BenchResult& result);

/// With so many digits after the point: "12.50".
std::string Fixed(double number, int digits);

/// A few lines for a terminal.
std::string BenchResultTable(const BenchResult& result, const Console& console);

}  // namespace rankd
