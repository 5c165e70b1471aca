#include "cli/options.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/exit_status.h"

namespace rankd {
namespace {

using Arguments = std::vector<std::string>;

Options Parsed(const Arguments& arguments) {
  std::expected<Options, EarlyExit> options = ParseOptions(arguments);
  const std::string error = options ? "" : options.error().error;
  CAPTURE(error);
  REQUIRE(options.has_value());
  return *options;
}

/// The message of a usage error, which comes without output.
std::string UsageError(const Arguments& arguments) {
  const std::expected<Options, EarlyExit> options = ParseOptions(arguments);
  REQUIRE_FALSE(options.has_value());
  CHECK(options.error().status == kExitUsage);
  CHECK(options.error().output == "");
  CHECK(options.error().error.find('\n') == std::string::npos);
  return options.error().error;
}

TEST_CASE("without arguments requests are run with the defaults") {
  const Options options = Parsed({});
  CHECK(options.command == Command::kRun);
  CHECK_FALSE(options.workspace.plan_name);
  CHECK(options.run.concurrency == 64);
  CHECK_FALSE(options.run.cpu_threads);
  CHECK_FALSE(options.run.deadline);
  CHECK(options.run.cpu == CpuMode::kAuto);
  CHECK(options.run.max_request_bytes == 16777216);
  CHECK_FALSE(options.quiet);
}

TEST_CASE("a value stays as it is, whatever it looks like") {
  CHECK(Parsed({"--log", "--bench-rate"}).records.log_file == "--bench-rate");
  CHECK(Parsed({"--plan-dir", "--a-b"}).workspace.plan_dir == "--a-b");
  CHECK(Parsed({"--plan-dir=--a-b"}).workspace.plan_dir == "--a-b");
  CHECK(Parsed({"--env", "check", "--plan-name", "x"}).workspace.env == "check");
  const Options options = Parsed({"--allow-unknown-fields", "--plan-dir", "d"});
  CHECK(options.run.allow_unknown_fields);
  CHECK(options.workspace.plan_dir == "d");
}

TEST_CASE("a flag with nothing behind its = has an empty value, not the next argument") {
  CHECK(UsageError({"--plan_name=", "simple_plan"}) ==
        "unknown command simple_plan, see rankd --help");
  CHECK(UsageError({"--plan-dir=", "--quiet"}) == "--plan_dir must not be empty");
  CHECK(UsageError({"--deadline_ms=", "--plan_name", "p"}) ==
        "--deadline_ms must be a whole number from 0 to 9007199254740992, not \"\"");
}

TEST_CASE("every flag arrives") {
  const Options options = Parsed({"--plan_name",
                                  "p",
                                  "--plan_dir",
                                  "d",
                                  "--env",
                                  "e",
                                  "--redis",
                                  "redis://h",
                                  "--param",
                                  "a=1",
                                  "--param",
                                  "b=x=y",
                                  "--param",
                                  "c=",
                                  "--deadline_ms",
                                  "0",
                                  "--node_timeout_ms",
                                  "9007199254740992",
                                  "--concurrency",
                                  "5",
                                  "--cpu_threads",
                                  "3",
                                  "--cpu",
                                  "offload",
                                  "--async_scheduler",
                                  "--unordered",
                                  "--allow_unknown_fields",
                                  "--max_request_bytes",
                                  "10",
                                  "--quiet"});
  CHECK(options.workspace.plan_name == "p");
  CHECK(options.workspace.plan_dir == "d");
  CHECK(options.workspace.env == "e");
  CHECK(options.workspace.redis_url == "redis://h");
  REQUIRE(options.workspace.params.size() == 3);
  CHECK(options.workspace.params[1].name == "b");
  CHECK(options.workspace.params[1].value == "x=y");
  CHECK(options.workspace.params[2].value == "");
  CHECK(options.run.deadline == std::chrono::milliseconds(0));
  CHECK(options.run.node_timeout == std::chrono::milliseconds(9007199254740992));
  CHECK(options.run.concurrency == 5);
  CHECK(options.run.cpu_threads == 3);
  CHECK(options.run.cpu == CpuMode::kOffload);
  CHECK(options.run.unordered);
  CHECK(options.run.allow_unknown_fields);
  CHECK(options.run.max_request_bytes == 10);
  CHECK(options.quiet);
}

TEST_CASE("long flags may be written with dashes, values stay as they are") {
  const Options options = Parsed({"--plan-name=a-b", "--node-timeout-ms=5", "--param", "a-b=c-d",
                                  "--param=e-f=g-h", "--allow-unknown-fields"});
  CHECK(options.workspace.plan_name == "a-b");
  CHECK(options.run.node_timeout == std::chrono::milliseconds(5));
  CHECK(options.workspace.params[0].name == "a-b");
  CHECK(options.workspace.params[1].name == "e-f");
  CHECK(options.workspace.params[1].value == "g-h");
  CHECK(options.run.allow_unknown_fields);
}

TEST_CASE("of a flag given twice the last value stands") {
  const Options options = Parsed({"--plan_name", "a", "--plan_name", "b"});
  CHECK(options.workspace.plan_name == "b");
}

TEST_CASE("commands take their own arguments, and the flags before or after them") {
  const Options check = Parsed({"--plan_dir", "d", "check", "a", "x/b.json", "--json"});
  CHECK(check.command == Command::kCheck);
  CHECK(check.plans == Arguments{"a", "x/b.json"});
  CHECK(check.json);
  CHECK(Parsed({"check", "a", "--plan-dir", "d"}).workspace.plan_dir == "d");
  CHECK(Parsed({"check", "plans"}).plans == Arguments{"plans"});
  CHECK(Parsed({"check", "--", "--odd"}).plans == Arguments{"--odd"});
  CHECK(Parsed({"plans"}).command == Command::kPlans);
  CHECK(Parsed({"tasks", "--json"}).command == Command::kTasks);
  CHECK(Parsed({"keys"}).command == Command::kKeys);
  CHECK(Parsed({"demo-data"}).command == Command::kDemoData);
}

TEST_CASE("usage errors say what, where and what to do") {
  struct {
    Arguments arguments;
    const char* message;
  } rows[] = {
      {{"--plan_nam", "x"}, "unknown flag --plan_nam, did you mean --plan_name?"},
      {{"--zzzzzzzz"}, "unknown flag --zzzzzzzz, see rankd --help"},
      {{"--json"}, "unknown flag --json, see rankd --help"},
      {{"check", "a", "--jsn"}, "unknown flag --jsn, did you mean --json?"},
      {{"chek", "a"}, "unknown command chek, did you mean check?"},
      {{"plans", "x"}, "unexpected argument x, see rankd --help"},
      {{"check"}, "check needs the names or files of plans, as in: rankd check simple_plan"},
      {{"--plan_name"}, "--plan_name needs a value"},
      {{"--plan_name", ""}, "--plan_name must not be empty"},
      {{"--plan", "f", "--plan_name", "p"},
       "--plan_name and --plan both name the plan to run: give one of them"},
      {{"--param", "x"}, "--param must be NAME=VALUE, not \"x\""},
      {{"--param", "=x"}, "--param must be NAME=VALUE, not \"=x\""},
      {{"--concurrency", "0"}, "--concurrency must be a whole number from 1 to 1000000, not \"0\""},
      {{"--cpu_threads", "many"},
       "--cpu_threads must be a whole number from 1 to 1024, not \"many\""},
      {{"--deadline_ms", "-5"},
       "--deadline_ms must be a whole number from 0 to 9007199254740992, not \"-5\""},
      {{"--deadline_ms", "1.5"},
       "--deadline_ms must be a whole number from 0 to 9007199254740992, not \"1.5\""},
      {{"--node_timeout_ms", "9007199254740993"},
       "--node_timeout_ms must be a whole number from 0 to 9007199254740992, not "
       "\"9007199254740993\""},
      {{"--max_request_bytes", "0"},
       "--max_request_bytes must be a whole number from 1 to 9007199254740992, not \"0\""},
      {{"--cpu", "fast"}, "--cpu must be auto, inline, offload or fused, not \"fast\""},
  };
  for (const auto& row : rows) CHECK(UsageError(row.arguments) == row.message);
}

TEST_CASE("traces and logs are files") {
  const Options options =
      ParseOptions(Arguments{"--plan_name", "p", "--trace", "t.json", "--log=l"}).value();
  CHECK(options.records.trace_file == "t.json");
  CHECK(options.records.log_file == "l");
  CHECK_FALSE(ParseOptions(Arguments{"--plan_name", "p"})->records.trace_file);
  CHECK(UsageError({"--trace", ""}) == "--trace must not be empty");
  CHECK(UsageError({"--log", ""}) == "--log must not be empty");
  CHECK(UsageError({"--log"}) == "--log needs a value");
}

TEST_CASE("explain takes one plan, a format and a file for its picture") {
  const auto parsed = ParseOptions(Arguments{"explain", "p"});
  REQUIRE(parsed);
  CHECK(parsed->command == Command::kExplain);
  CHECK(parsed->plans == std::vector<std::string>{"p"});
  CHECK(parsed->explain.format == ExplainFormat::kText);
  CHECK_FALSE(parsed->explain.svg_file);
  CHECK(ParseOptions(Arguments{"explain", "p", "--format", "mermaid"})->explain.format ==
        ExplainFormat::kMermaid);
  const auto svg = ParseOptions(Arguments{"--plan-name", "q", "explain", "--svg=f.svg"});
  REQUIRE(svg);
  CHECK(svg->plans == std::vector<std::string>{"q"});
  CHECK(svg->explain.svg_file == "f.svg");
  CHECK_FALSE(svg->explain.format);
  CHECK(ParseOptions(Arguments{"explain", "p", "--svg", "f", "--format=text"})->explain.format ==
        ExplainFormat::kText);
  CHECK(ParseOptions(Arguments{"explain", "--plan", "f"})->plans ==
        std::vector<std::string>{"./f"});
  CHECK(ParseOptions(Arguments{"explain", "p", "--cpu", "offload"})->run.cpu == CpuMode::kOffload);

  const std::string one =
      "explain needs the name or file of one plan, as in: rankd explain diamond";
  CHECK(UsageError({"explain"}) == one);
  CHECK(UsageError({"explain", "p", "q"}) == one);
  CHECK(UsageError({"explain", "p", "--svg", ""}) == "--svg must not be empty");
  CHECK(UsageError({"explain", "p", "--format", "png"}) ==
        "--format must be text, dot, mermaid or json, not \"png\"");
  CHECK(UsageError({"explain", "p", "--format", ""}) ==
        "--format must be text, dot, mermaid or json, not \"\"");
  CHECK(UsageError({"explain", "p", "--fromat", "dot"}).find("--format") != std::string::npos);
}

TEST_CASE("a bench has defaults") {
  CHECK_FALSE(Parsed({}).bench);
  const BenchOptions bench = *Parsed({"--bench", "100"}).bench;
  CHECK(bench.iterations == 100);
  CHECK(bench.warmup == 10);
  CHECK_FALSE(bench.concurrency);
  CHECK_FALSE(bench.rate);
  CHECK_FALSE(bench.requests_file);
  CHECK_FALSE(bench.compare_file);
  CHECK(bench.fail_over == 10);
  CHECK_FALSE(bench.concurrency_of_streams_given);
  CHECK(Parsed({"--bench", "9"}).bench->warmup == 0);
  CHECK(Parsed({"--bench", "1000000"}).bench->warmup == 1000);
  CHECK(Parsed({"--bench", "9", "--concurrency", "3"}).bench->concurrency_of_streams_given);
}

TEST_CASE("every flag of a bench arrives") {
  const BenchOptions bench =
      *Parsed({"--bench=1000000000000", "--bench-concurrency", "7", "--bench_warmup", "0",
               "--bench_rate", "0.5", "--bench_requests", "r", "--bench_compare", "c",
               "--bench_fail_over", "2.5"})
           .bench;
  CHECK(bench.iterations == 1'000'000'000'000);
  CHECK(bench.concurrency == 7);
  CHECK(bench.warmup == 0);
  CHECK(bench.rate == 0.5);
  CHECK(bench.requests_file == "r");
  CHECK(bench.compare_file == "c");
  CHECK(bench.fail_over == 2.5);
}

TEST_CASE("values of bench flags are checked") {
  CHECK(UsageError({"--bench"}) == "--bench needs a value");
  for (const char* value : {"0", "-1", "ten", "1.5", "", "1000000000001"}) {
    CHECK(UsageError({"--bench", value})
              .starts_with("--bench must be a whole number from 1 to 1000000000000, not \""));
  }
  for (const char* value : {"0", "-1", "x", "1000001"}) {
    CHECK(UsageError({"--bench", "1", "--bench_concurrency", value})
              .starts_with("--bench_concurrency must be a whole number from 1 to 1000000, not \""));
  }
  CHECK(UsageError({"--bench", "1", "--bench_warmup", "-1"})
            .starts_with("--bench_warmup must be a whole number from 0 to "));
  for (const char* value : {"0", "-1", "fast", "1e400", "nan", "1000000001", ""}) {
    CHECK(UsageError({"--bench", "1", "--bench_rate", value})
              .starts_with("--bench_rate must be a number of requests a second, over 0 and up to "
                           "1000000000, not \""));
  }
  CHECK(UsageError({"--bench", "1", "--bench_requests", ""}) ==
        "--bench_requests must not be empty");
  CHECK(UsageError({"--bench", "1", "--bench_compare", ""}) == "--bench_compare must not be empty");
  for (const char* value : {"-1", "x", "inf"}) {
    CHECK(UsageError({"--bench", "1", "--bench_compare", "f", "--bench_fail_over", value})
              .starts_with("--bench_fail_over must be a percentage of at least 0, not \""));
  }
  CHECK(UsageError({"--bench", "1", "--bench_fail_over", "5"}) ==
        "--bench_fail_over needs --bench_compare FILE");
  for (const char* flag : {"--bench_concurrency", "--bench_warmup", "--bench_rate",
                           "--bench_requests", "--bench_compare", "--bench_fail_over"}) {
    CHECK(UsageError({flag, "5"}) == std::string(flag) + " needs --bench N");
  }
}

TEST_CASE("help and version go to stdout with status 0") {
  const std::expected<Options, EarlyExit> version = ParseOptions(Arguments{"--version"});
  REQUIRE_FALSE(version.has_value());
  CHECK(version.error().status == kExitOk);
  CHECK(version.error().output.starts_with("rankd "));
  CHECK(version.error().error == "");

  const std::expected<Options, EarlyExit> help = ParseOptions(Arguments{"--help"});
  REQUIRE_FALSE(help.has_value());
  CHECK(help.error().status == kExitOk);
  const std::string& text = help.error().output;
  for (const char* part : {"Plan:\n", "Requests:\n", "Execution:\n", "General:\n", "Commands:\n",
                           "--param NAME=VALUE", "--max_request_bytes N", "demo-data"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("Bench:\n") != std::string::npos);
  CHECK(text.find("--bench_fail_over PCT") != std::string::npos);
  CHECK(text.find("Records:\n") != std::string::npos);
  // It ends with three examples.
  const std::string examples = text.substr(text.find("Examples:\n"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = examples.find("\n  ", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines == 3);

  const std::expected<Options, EarlyExit> of_check = ParseOptions(Arguments{"check", "--help"});
  REQUIRE_FALSE(of_check.has_value());
  CHECK(of_check.error().output.find("Usage: rankd check") != std::string::npos);
}

}  // namespace
}  // namespace rankd
