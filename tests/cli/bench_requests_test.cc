#include "cli/bench/bench_requests.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "cli/environment.h"
#include "cli/workspace.h"
#include "tasks/builtin.h"
#include "tests/cli/plan_folder.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

/// Requests of a file against the plans of a folder, `good` being the default.
struct Loaded {
  explicit Loaded(std::optional<std::string_view> text, bool with_default = true) {
    WorkspaceOptions options;
    options.plan_dir = folder.path();
    if (with_default) options.plan_name = "good";
    workspace = Workspace::Open(options, Environment(), tasks, console.console);
    REQUIRE(workspace != nullptr);
    REQUIRE(workspace->plans().LoadDefault(options));
    std::optional<std::string> file;
    if (text) {
      file = folder.File("requests");
      folder.Write("requests", *text);
    }
    RequestParser parser(RequestOptions(),
                         [this](std::string_view plan) { return workspace->plans().Find(plan); });
    requests = LoadBenchRequests(file, 64, parser);
  }
  /// Behind the file's name.
  std::string error() const {
    REQUIRE_FALSE(requests);
    const std::string prefix = folder.File("requests") + ":";
    REQUIRE(requests.error().message.starts_with(prefix));
    return requests.error().message.substr(prefix.size());
  }

  PlanFolder folder;
  RecordingConsole console;
  TaskCatalog tasks = BuiltinTasks();
  std::unique_ptr<Workspace> workspace;
  Result<BenchRequests> requests = Fail(ErrorCode::kInternal, "");
};

TEST_CASE("without a file there is one request") {
  const Loaded loaded(std::nullopt);
  REQUIRE(loaded.requests);
  REQUIRE(loaded.requests->all.size() == 1);
  CHECK(loaded.requests->all[0].text == R"({"user_id":1})");
  CHECK(loaded.requests->plan == "good");
}

TEST_CASE("without a file and a plan the message is that of a request") {
  const Loaded loaded(std::nullopt, false);
  REQUIRE_FALSE(loaded.requests);
  CHECK(loaded.requests.error().message.starts_with("no plan is named"));
}

TEST_CASE("a file holds requests in the form of stdin") {
  const Loaded loaded(
      "\xEF\xBB\xBF\n{\"user_id\":1}\r\n\n{\n \"user_id\": 2,\n "
      "\"plan\":\"other\"}\n{\"user_id\":3}");
  REQUIRE(loaded.requests);
  REQUIRE(loaded.requests->all.size() == 3);
  CHECK(loaded.requests->all[0].first_line == 2);
  CHECK(loaded.requests->all[1].first_line == 4);
  CHECK(loaded.requests->all[2].text == "{\"user_id\":3}");
  CHECK(loaded.requests->plan == "good,other");
}

TEST_CASE("a request that is broken is told with its line") {
  CHECK(Loaded("{}\n\n{\"user_id\":}\n").error().starts_with("3: "));
  CHECK(Loaded("{}\n{\"usr_id\":1}\n").error() ==
        R"(2: unknown field "usr_id", did you mean "user_id"?)");
  CHECK(Loaded("{\"plan\":\"god\"}").error().starts_with("1: "));
  CHECK(Loaded("{}\n{\"user_id\":1,\n").error() ==
        "2: request ends before its brackets are closed");
  CHECK(Loaded("{}\n{\"request_id\":\"" + std::string(99, 'x') + "\"}\n").error() ==
        "2: request is longer than 64 bytes; raise --max_request_bytes to take it");
}

TEST_CASE("a file without a request, or that is not there, is an error") {
  CHECK(Loaded("\n\n").error() == " there is no request in it");
}

}  // namespace
}  // namespace rankd
