#include "cli/bench/bench_options.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <CLI/CLI.hpp>

#include "cli/flag_values.h"
#include "engine/base/number_text.h"

namespace rankd {
namespace {

constexpr std::int64_t kMaxIterations = 1'000'000'000'000;
constexpr std::int64_t kMaxPlaces = 1'000'000;
constexpr double kMaxRate = 1e9;
constexpr double kMaxPercent = 1e9;
constexpr std::int64_t kMaxDefaultWarmup = 1000;

constexpr std::array kNeedBench = {"--bench_concurrency", "--bench_warmup",  "--bench_rate",
                                   "--bench_requests",    "--bench_compare", "--bench_fail_over"};

double Rate(const std::string& text) {
  const std::optional<double> rate = ParseFloat(text);
  if (rate && *rate > 0 && *rate <= kMaxRate) return *rate;
  throw UsageError{"--bench_rate must be a number of requests a second, over 0 and up to " +
                   std::to_string(static_cast<std::int64_t>(kMaxRate)) + ", not " + InQuotes(text)};
}

double Percent(const std::string& text) {
  const std::optional<double> percent = ParseFloat(text);
  if (percent && *percent >= 0 && *percent <= kMaxPercent) return *percent;
  throw UsageError{"--bench_fail_over must be a percentage of at least 0, not " + InQuotes(text)};
}

}  // namespace

void AddBenchFlags(CLI::App& app, const WantedNames& wanted, BenchFlags& flags) {
  const auto add = [&](const char* name, std::string& value, const char* text, const char* help) {
    if (wanted.Has(name)) app.add_option(name, value, help)->option_text(text)->group("Bench");
  };
  add("--bench", flags.bench, "N",
      "run the plan N times without reading stdin; the result\nis one line of JSON on stdout");
  add("--bench_concurrency", flags.concurrency, "C",
      "requests in flight (default 1; with --bench_rate the\nmost there may be, default 16384)");
  add("--bench_warmup", flags.warmup, "N",
      "runs before those that count (default N/10, at most\n1000)");
  add("--bench_rate", flags.rate, "R",
      "start R requests a second, however long they take;\nlatency counts from the intended start");
  add("--bench_requests", flags.requests, "FILE",
      "requests to cycle through (default {\"user_id\":1})");
  add("--bench_compare", flags.compare, "FILE", "compare with a former result");
  add("--bench_fail_over", flags.fail_over, "PCT",
      "exit with 1 when throughput or p99 is worse than\nthe former result by more (default 10)");
}

std::optional<BenchOptions> CheckBenchFlags(const CLI::App& app, const BenchFlags& flags) {
  if (!Given(app, "--bench")) {
    for (const char* flag : kNeedBench) {
      if (Given(app, flag)) throw UsageError{std::string(flag) + " needs --bench N"};
    }
    return std::nullopt;
  }
  BenchOptions options;
  const std::int64_t iterations = WholeNumber("--bench", flags.bench, 1, kMaxIterations);
  const std::int64_t warmup = Given(app, "--bench_warmup")
                                  ? WholeNumber("--bench_warmup", flags.warmup, 0, kMaxIterations)
                                  : std::min(iterations / 10, kMaxDefaultWarmup);
  options.iterations = static_cast<std::uint64_t>(iterations);
  options.warmup = static_cast<std::uint64_t>(warmup);
  if (Given(app, "--bench_concurrency")) {
    options.concurrency = static_cast<std::size_t>(
        WholeNumber("--bench_concurrency", flags.concurrency, 1, kMaxPlaces));
  }
  if (Given(app, "--bench_rate")) options.rate = Rate(flags.rate);
  options.requests_file = TextFlag(app, "--bench_requests", flags.requests);
  options.compare_file = TextFlag(app, "--bench_compare", flags.compare);
  if (Given(app, "--bench_fail_over")) {
    if (!options.compare_file) throw UsageError{"--bench_fail_over needs --bench_compare FILE"};
    options.fail_over = Percent(flags.fail_over);
  }
  options.concurrency_of_streams_given = Given(app, "--concurrency");
  return options;
}

}  // namespace rankd
