#include "cli/bench/bench_compare.h"

#include <cstdio>
#include <utility>

#include "cli/bench/bench_result.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/plan/plan_files.h"

namespace rankd {
namespace {

constexpr std::size_t kMaxSummaryBytes = std::size_t{1} << 20;

struct Change {
  const char* name;
  const char* unit;
  double before;
  double after;
  bool more_is_better;

  double percent() const { return (after - before) / before * 100; }
  /// How much worse, in percent; negative when better.
  double worse() const { return more_is_better ? -percent() : percent(); }
};

std::string Describe(const Change& change, const Console& console) {
  const double percent = change.percent();
  const std::string sign = percent < 0 ? "" : "+";
  const char* colour = change.worse() > 0 ? "31" : "32";
  return std::string(change.name) + " " + Fixed(change.before, 1) + " -> " +
         Fixed(change.after, 1) + " " + change.unit + " (" +
         console.ErrorColoured(colour, sign + Fixed(percent, 1) + " %") + ")";
}

Result<double> Positive(const Json& root, const char* name) {
  const Json* value = root.Find(name);
  const std::optional<double> number = value == nullptr ? std::nullopt : value->AsNumber();
  if (value == nullptr) {
    return Fail(ErrorCode::kInvalidRequest,
                "is no result of a bench: it lacks \"" + std::string(name) + "\"");
  }
  if (!number || !(*number > 0)) {
    return Fail(ErrorCode::kInvalidRequest, "cannot be compared with: \"" + std::string(name) +
                                                "\" must be a number over 0, not " +
                                                value->Describe());
  }
  return *number;
}

Result<BenchBaseline> Parse(const std::string& file, std::string_view plan) {
  RANKD_TRY(const std::string text, ReadWholeFile(file, kMaxSummaryBytes));
  Result<JsonDocument> document = ParseJson(text);
  if (!document) {
    return Fail(ErrorCode::kInvalidJson, "is no JSON: " + document.error().message);
  }
  const Json& root = document->root();
  if (!root.is_object()) {
    return Fail(ErrorCode::kInvalidRequest,
                "is no result of a bench: it must be an object, not " + root.Describe());
  }
  const Json* name = root.Find("plan");
  if (name == nullptr || !name->is_string()) {
    return Fail(ErrorCode::kInvalidRequest, "is no result of a bench: it lacks \"plan\"");
  }
  if (*name->AsString() != plan) {
    return Fail(ErrorCode::kInvalidRequest, "is of another plan: " + name->Describe() +
                                                ", and this is a bench of \"" + std::string(plan) +
                                                "\"");
  }
  BenchBaseline baseline;
  baseline.file = file;
  RANKD_TRY(baseline.throughput_rps, Positive(root, "throughput_rps"));
  RANKD_TRY(baseline.p50_us, Positive(root, "p50_us"));
  RANKD_TRY(baseline.p99_us, Positive(root, "p99_us"));
  if (const Json* concurrency = root.Find("concurrency")) {
    baseline.concurrency = concurrency->AsInt().value_or(0);
  }
  if (const Json* rate = root.Find("rate_rps")) baseline.rate_rps = rate->AsNumber();
  return baseline;
}

std::string LoadText(std::int64_t concurrency, const std::optional<double>& rate) {
  if (!rate) return std::to_string(concurrency) + " in flight";
  std::string text;
  AppendFloat(text, *rate);
  return text + " requests a second";
}

}  // namespace

Result<BenchBaseline> ReadBenchBaseline(const std::string& file, std::string_view plan) {
  Result<BenchBaseline> baseline = Parse(file, plan);
  if (!baseline) {
    return Fail(baseline.error().code,
                "--bench_compare: " + file + ": " + baseline.error().message);
  }
  return baseline;
}

bool CompareBench(const BenchResult& result, const BenchBaseline& baseline, double fail_over,
                  Console& console) {
  if (!result.latency) {
    console.Error("no request succeeded: there is nothing to compare with " + baseline.file);
    return false;
  }
  const std::optional<double> rate =
      result.open_loop ? std::optional(result.open_loop->rate_rps) : std::nullopt;
  const std::string load = LoadText(static_cast<std::int64_t>(result.concurrency), rate);
  const std::string former_load = LoadText(baseline.concurrency, baseline.rate_rps);
  if (load != former_load) {
    console.Note(baseline.file + " is of another load: " + former_load + ", and this is of " +
                 load);
  }
  const Change changes[] = {
      {"throughput", "requests/s", baseline.throughput_rps, result.throughput_rps, true},
      {"p50", "us", baseline.p50_us, result.latency->p50, false},
      {"p99", "us", baseline.p99_us, result.latency->p99, false}};
  bool passed = true;
  for (const Change& change : changes) {
    console.Note("against " + baseline.file + ": " + Describe(change, console));
  }
  for (const Change& change : {changes[0], changes[2]}) {
    if (change.worse() <= fail_over) continue;
    std::string limit;
    AppendFloat(limit, fail_over);
    console.Error(std::string(change.name) + " is " + Fixed(change.worse(), 1) +
                  " % worse than in " + baseline.file + ", more than the " +
                  (limit.ends_with(".0") ? limit.substr(0, limit.size() - 2) : limit) +
                  " % of --bench_fail_over");
    passed = false;
  }
  return passed;
}

}  // namespace rankd
