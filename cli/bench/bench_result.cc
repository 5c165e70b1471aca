#include "cli/bench/bench_result.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <sys/resource.h>

#include "cli/json_writer.h"

namespace rankd {
namespace {

constexpr auto kLineMax = std::numeric_limits<std::streamsize>::max();

double Microseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

/// To three digits behind the point, of which there is no use for more, unless that leaves little.
double Rounded(double number) { return number < 1 ? number : std::round(number * 1000) / 1000; }

/// Of this program: getrusage alone counts what the process was before it became this one, too.
std::uint64_t PeakResidentBytes() {
  std::ifstream status("/proc/self/status");
  std::uint64_t kibibytes = 0;
  for (std::string name; status >> name; status.ignore(kLineMax, '\n')) {
    if (name == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

LatencySummary Summarize(const LatencyHistogram& latencies) {
  const auto at = [&](double quantile) { return Microseconds(latencies.Quantile(quantile)); };
  LatencySummary summary = {};
  summary.avg = std::round(latencies.mean()) / 1000;
  summary.min = Microseconds(latencies.min());
  summary.p50 = at(0.5);
  summary.p90 = at(0.9);
  summary.p99 = at(0.99);
  summary.p999 = at(0.999);
  summary.max = Microseconds(latencies.max());
  return summary;
}

using Named = std::pair<const char*, double LatencySummary::*>;
constexpr std::array<Named, 7> kLatencies = {{{"avg_us", &LatencySummary::avg},
                                              {"min_us", &LatencySummary::min},
                                              {"p50_us", &LatencySummary::p50},
                                              {"p90_us", &LatencySummary::p90},
                                              {"p99_us", &LatencySummary::p99},
                                              {"p999_us", &LatencySummary::p999},
                                              {"max_us", &LatencySummary::max}}};

/// Three digits and a unit: "28.1 us", "1.50 ms".
std::string LatencyText(double us) {
  const auto scaled = [us](double unit, const char* name) {
    const double number = us / unit;
    return Fixed(number, number < 10 ? 2 : number < 100 ? 1 : 0) + " " + name;
  };
  if (us < 1000) return scaled(1, "us");
  return us < 1e6 ? scaled(1e3, "ms") : scaled(1e6, "s");
}

std::string Row(std::string_view name, const std::string& value) {
  return "  " + std::string(name) + std::string(12 - name.size(), ' ') + value + "\n";
}

}  // namespace

std::string Fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

BenchResult MakeBenchResult(std::string plan, const BenchLoad& load, const BenchTally& tally) {
  BenchResult result;
  result.plan = std::move(plan);
  result.iterations = tally.iterations;
  result.errors = tally.failures.total();
  result.concurrency = load.places;
  result.total_ms = std::round(Microseconds(tally.elapsed)) / 1000;
  if (tally.latencies.count() > 0) {
    const double seconds = static_cast<double>(tally.elapsed.count()) / 1e9;
    if (seconds > 0) {
      result.throughput_rps = Rounded(static_cast<double>(tally.latencies.count()) / seconds);
    }
    result.latency = Summarize(tally.latencies);
  }
  result.max_rss_bytes = PeakResidentBytes();
  if (load.rate) {
    result.open_loop = BenchResult::OpenLoop{*load.rate, tally.late, tally.peak_in_flight};
  }
  return result;
}

std::string BenchResultJson(const BenchResult& result) {
  JsonWriter json;
  const auto number = [&json](const char* name, double value) {
    json.Name(name);
    json.Any(Value(value));
  };
  const auto count = [&json](const char* name, std::uint64_t value) {
    json.IntField(name, static_cast<std::int64_t>(value));
  };
  json.BeginObject();
  json.StringField("plan", result.plan);
  count("iterations", result.iterations);
  count("errors", result.errors);
  count("concurrency", result.concurrency);
  if (result.loops > 1) count("loops", result.loops);
  number("total_ms", result.total_ms);
  number("throughput_rps", result.throughput_rps);
  for (const auto& [name, member] : kLatencies) {
    if (result.latency) {
      number(name, (*result.latency).*member);
    } else {
      json.Name(name);
      json.Null();
    }
  }
  count("max_rss_bytes", result.max_rss_bytes);
  if (result.open_loop) {
    number("rate_rps", result.open_loop->rate_rps);
    count("late", result.open_loop->late);
    count("peak_in_flight", result.open_loop->peak_in_flight);
  }
  json.EndObject();
  return json.Line();
}

std::string BenchResultTable(const BenchResult& result, const Console& console) {
  std::string text = console.ErrorColoured("1", result.plan) + "\n";
  std::string requests = std::to_string(result.iterations);
  if (result.errors > 0) {
    requests += ", " + console.ErrorColoured("31", std::to_string(result.errors) + " failed");
  }
  text += Row("requests", requests + " in " + LatencyText(result.total_ms * 1000));
  if (const auto& open = result.open_loop) {
    text += Row("rate", Fixed(open->rate_rps, open->rate_rps < 10 ? 2 : 0) + " a second, " +
                            std::to_string(open->late) + " late, at most " +
                            std::to_string(open->peak_in_flight) + " in flight");
  } else {
    text += Row("in flight", std::to_string(result.concurrency));
  }
  text += Row("throughput",
              Fixed(result.throughput_rps, result.throughput_rps < 100 ? 2 : 0) + " a second");
  if (const auto& latency = result.latency) {
    text += Row("average", LatencyText(latency->avg));
    text += Row("min", LatencyText(latency->min));
    text += Row("p50", LatencyText(latency->p50));
    text += Row("p90", LatencyText(latency->p90));
    text += Row("p99", console.ErrorColoured("1", LatencyText(latency->p99)));
    text += Row("p99.9", LatencyText(latency->p999));
    text += Row("max", LatencyText(latency->max));
  }
  text +=
      Row("peak memory", Fixed(static_cast<double>(result.max_rss_bytes) / 1048576, 1) + " MiB");
  return text;
}

}  // namespace rankd
