#include "cli/bench/bench_result.h"

#include <chrono>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_requests.h"
#include "engine/base/json.h"
#include "tests/cli/plan_folder.h"
#include "tests/cli/recording_console.h"
#include "tests/support/temp_dir.h"

namespace rankd {
namespace {

using std::chrono::microseconds;

BenchResult SomeResult() {
  BenchLoad load;
  load.places = 2;
  BenchTally tally;
  tally.iterations = 3;
  tally.failures.Add(ErrorCode::kBadData);
  tally.latencies.Record(microseconds(1));
  tally.latencies.Record(std::chrono::nanoseconds(2500));
  tally.elapsed = microseconds(500);
  BenchResult result = MakeBenchResult("p", load, tally);
  CHECK(result.max_rss_bytes > 1'000'000);
  result.max_rss_bytes = 7;
  return result;
}

std::string ReadError(const std::string& text) {
  const TempDir folder;
  const std::string file = folder.File("base.json");
  WriteFile(file, text);
  const Result<BenchBaseline> baseline = ReadBenchBaseline(file, "p");
  REQUIRE_FALSE(baseline);
  std::string message = baseline.error().message;
  const std::string prefix = "--bench_compare: " + file + ": ";
  REQUIRE(message.starts_with(prefix));
  return message.substr(prefix.size());
}

TEST_CASE("a result is one line of JSON with its fields in order") {
  CHECK(BenchResultJson(SomeResult()) ==
        R"({"plan":"p","iterations":3,"errors":1,"concurrency":2,"total_ms":0.5,)"
        R"("throughput_rps":4000.0,"avg_us":1.75,"min_us":1.0,"p50_us":1.0,"p90_us":2.5,)"
        R"("p99_us":2.5,"p999_us":2.5,"max_us":2.5,"max_rss_bytes":7})"
        "\n");
}

TEST_CASE("a result without a success has no latencies") {
  BenchTally tally;
  tally.iterations = 1;
  tally.failures.Add(ErrorCode::kBadData);
  BenchResult result = MakeBenchResult("p", BenchLoad(), tally);
  result.max_rss_bytes = 7;
  CHECK(BenchResultJson(result) ==
        R"({"plan":"p","iterations":1,"errors":1,"concurrency":1,"total_ms":0.0,)"
        R"("throughput_rps":0.0,"avg_us":null,"min_us":null,"p50_us":null,"p90_us":null,)"
        R"("p99_us":null,"p999_us":null,"max_us":null,"max_rss_bytes":7})"
        "\n");
  const RecordingConsole console;
  CHECK(BenchResultTable(result, console.console).find("p50") == std::string::npos);
}

TEST_CASE("the result of an open loop says so behind the other fields") {
  BenchLoad load;
  load.rate = 250;
  BenchTally tally;
  tally.late = 5;
  tally.peak_in_flight = 9;
  const std::string json = BenchResultJson(MakeBenchResult("p", load, tally));
  CHECK(json.ends_with(R"(,"rate_rps":250.0,"late":5,"peak_in_flight":9})"
                       "\n"));
}

TEST_CASE("the table is plain where there are no colours") {
  const RecordingConsole console;
  const std::string table = BenchResultTable(SomeResult(), console.console);
  CHECK(table.find('\x1b') == std::string::npos);
  CHECK(table.find("  requests    3, 1 failed in 500 us\n") != std::string::npos);
  CHECK(table.find("  p50         1.00 us\n") != std::string::npos);
  CHECK(table.find("  throughput  4000 a second\n") != std::string::npos);
  const RecordingConsole coloured({.error_colour = true});
  CHECK(BenchResultTable(SomeResult(), coloured.console).find("\x1b[31m1 failed\x1b[0m") !=
        std::string::npos);
}

TEST_CASE("what is said while a status line is shown stands on a line of its own") {
  RecordingConsole console({.error_colour = true});
  console.console.ShowStatus("12345");
  console.console.ShowStatus("123");
  console.console.Error("oh");
  console.console.ClearStatus();
  CHECK(console.err.text == "\r12345\r123  \r   \rrankd: oh\n");
  RecordingConsole quiet({.quiet = true, .error_terminal = true, .error_colour = true});
  quiet.console.ShowStatus("x");
  quiet.console.Show("table\n");
  CHECK(quiet.err.text == "");
}

TEST_CASE("a former result that nothing can be compared with is refused") {
  CHECK(ReadError("").starts_with("is no JSON: "));
  CHECK(ReadError("{\"plan\":").starts_with("is no JSON: "));
  CHECK(ReadError("[1]") == "is no result of a bench: it must be an object, not an array");
  CHECK(ReadError("{}") == "is no result of a bench: it lacks \"plan\"");
  CHECK(ReadError(R"({"plan":"q","throughput_rps":1,"p50_us":1,"p99_us":1})") ==
        R"(is of another plan: the string "q", and this is a bench of "p")");
  CHECK(ReadError(R"({"plan":"p","throughput_rps":1,"p50_us":1})") ==
        "is no result of a bench: it lacks \"p99_us\"");
  CHECK(ReadError(R"({"plan":"p","throughput_rps":0,"p50_us":1,"p99_us":1})") ==
        "cannot be compared with: \"throughput_rps\" must be a number over 0, not 0");
  CHECK(ReadError(R"({"plan":"p","throughput_rps":1,"p50_us":null,"p99_us":1})") ==
        "cannot be compared with: \"p50_us\" must be a number over 0, not null");
  const Result<BenchBaseline> missing = ReadBenchBaseline("/nowhere/base.json", "p");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "--bench_compare: /nowhere/base.json: there is no such file");
}

TEST_CASE("a result can be compared with itself") {
  const TempDir folder;
  WriteFile(folder.File("base.json"), BenchResultJson(SomeResult()));
  const Result<BenchBaseline> baseline = ReadBenchBaseline(folder.File("base.json"), "p");
  REQUIRE(baseline);
  RecordingConsole console;
  CHECK(CompareBench(SomeResult(), *baseline, 0, console.console));
  CHECK(console.err.text.find("throughput 4000.0 -> 4000.0 requests/s (+0.0 %)") !=
        std::string::npos);
}

TEST_CASE("what is worse by more than allowed fails a comparison") {
  BenchBaseline baseline;
  baseline.file = "base.json";
  baseline.concurrency = 2;
  baseline.throughput_rps = 5000;  // 4000 now: 20 % worse
  baseline.p50_us = 0.5;           // which is not looked at
  baseline.p99_us = 2;             // 2.5 now: 25 % worse
  const auto compare = [&](double fail_over, bool passes) {
    RecordingConsole console;
    CHECK(CompareBench(SomeResult(), baseline, fail_over, console.console) == passes);
    return console.err.text;
  };
  CHECK(compare(25, true) ==
        "rankd: against base.json: throughput 5000.0 -> 4000.0 requests/s (-20.0 %)\n"
        "rankd: against base.json: p50 0.5 -> 1.0 us (+100.0 %)\n"
        "rankd: against base.json: p99 2.0 -> 2.5 us (+25.0 %)\n");
  CHECK(
      compare(24, false).ends_with("rankd: p99 is 25.0 % worse than in base.json, more than the "
                                   "24 % of --bench_fail_over\n"));
  CHECK(compare(19.5, false)
            .find("rankd: throughput is 20.0 % worse than in base.json, more than "
                  "the 19.5 % of --bench_fail_over\n") != std::string::npos);
  baseline.concurrency = 1;
  CHECK(compare(25, true).starts_with(
      "rankd: base.json is of another load: 1 in flight, and this is of 2 in flight\n"));
}

}  // namespace
}  // namespace rankd
