// A bench against a former one: the gate of a CI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench_result.h"
#include "cli/console.h"
#include "engine/base/result.h"

namespace rankd {

/// A former result, as far as it is compared.
struct BenchBaseline {
  std::string file;
  double throughput_rps = 0;
  double p50_us = 0;
  double p99_us = 0;
  std::int64_t concurrency = 0;
  std::optional<double> rate_rps;
};

/// Reads what BenchResultJson wrote. Fails, with a message that names the file, for one that cannot
/// be read, is no such result, is of another plan, or holds numbers nothing can be compared with.
[[nodiscard]] Result<BenchBaseline> ReadBenchBaseline(const std::string& file,
                                                      std::string_view plan);

/// Tells `console` how the result compares, and with an error each what is worse by more than
/// `fail_over` percent: throughput, p99. False when there is such.
[[nodiscard]] bool CompareBench(const BenchResult& result, const BenchBaseline& baseline,
                                double fail_over, Console& console);

}  // namespace rankd
