#include "cli/commands.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cli/exit_status.h"
#include "engine/base/json.h"
#include "tasks/builtin.h"
#include "tests/cli/plan_folder.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

struct CommandFixture {
  CommandFixture() { options.workspace.plan_dir = folder.path(); }

  int Run(int (*command)(const CommandContext&)) {
    recording.out.text.clear();
    recording.err.text.clear();
    return command({options, environment, tasks, recording.console});
  }
  /// The one line of JSON that was printed.
  JsonDocument Json() {
    CHECK(std::ranges::count(out(), '\n') == 1);
    Result<JsonDocument> document = ParseJson(out());
    REQUIRE(document);
    return *std::move(document);
  }
  const std::string& out() const { return recording.out.text; }
  const std::string& err() const { return recording.err.text; }

  PlanFolder folder;
  Options options;
  Environment environment;
  const TaskCatalog tasks = BuiltinTasks();
  RecordingConsole recording;
};

TEST_CASE("check says of each plan whether it is sound, warnings included") {
  CommandFixture fixture;
  fixture.options.plans = {"good", "other"};
  CHECK(fixture.Run(RunCheck) == kExitOk);
  CHECK(fixture.out() == "good: ok\nother: ok\n");
  const std::string good = "rankd: " + fixture.folder.File("good.plan.json") + ": ";
  CHECK(fixture.err().find(good + "/nodes/1: warning: ") != std::string::npos);
  CHECK(fixture.err().find(good + "/nodes/2/params/out_key: warning: ") != std::string::npos);
  CHECK(fixture.err().find("other.plan.json: /nodes/1/params/out_key: warning: ") !=
        std::string::npos);
}

TEST_CASE("check is status 2 if any plan is invalid, after all have been looked at") {
  CommandFixture fixture;
  fixture.options.plans = {"broken", "nope", "good"};
  CHECK(fixture.Run(RunCheck) == kExitUsage);
  CHECK(fixture.out() == "broken: 3 problems\nnope: 1 problem\ngood: ok\n");
  CHECK(fixture.err().find("broken.plan.json: /outputs/0: ") != std::string::npos);
  CHECK(fixture.err().find("rankd: nope: no plan \"nope\"") != std::string::npos);
}

TEST_CASE("check gives JSON on one line, and nothing on stderr") {
  CommandFixture fixture;
  fixture.options.plans = {"good", "broken", "nope"};
  fixture.options.json = true;
  CHECK(fixture.Run(RunCheck) == kExitUsage);
  CHECK(fixture.err() == "");
  const JsonDocument document = fixture.Json();
  const std::span<const Json> plans = document.root().Find("plans")->items();
  REQUIRE(plans.size() == 3);
  CHECK(plans[0].Find("plan")->AsString() == "good");
  CHECK(plans[0].Find("ok")->AsBool() == true);
  REQUIRE(plans[0].Find("problems")->items().size() == 2);
  CHECK(plans[0].Find("problems")->items()[0].Find("severity")->AsString() == "warning");
  CHECK(plans[1].Find("ok")->AsBool() == false);
  REQUIRE(plans[1].Find("problems")->items().size() == 3);
  const Json& problem = plans[1].Find("problems")->items()[0];
  CHECK(problem.Find("pointer")->AsString() == "/nodes/0/op");
  CHECK(problem.Find("severity")->AsString() == "error");
  CHECK(problem.Find("message")->AsString()->find("fixd_source") != std::string::npos);
  CHECK(plans[2].Find("ok")->AsBool() == false);
}

TEST_CASE("check takes files, against what stands beside them") {
  CommandFixture fixture;
  fixture.options.workspace.plan_dir.reset();
  const std::string file = fixture.folder.File("good.plan.json");
  const std::string copy = fixture.folder.File("renamed.json");
  std::filesystem::copy_file(file, copy);
  fixture.options.plans = {file, copy};
  CHECK(fixture.Run(RunCheck) == kExitOk);
  CHECK(fixture.out() == file + ": ok\n" + copy + ": ok\n");
  fixture.options.plans = {fixture.folder.File("missing.plan.json")};
  CHECK(fixture.Run(RunCheck) == kExitUsage);
  CHECK(fixture.out().ends_with("missing.plan.json: 1 problem\n"));
}

TEST_CASE("check of a name looks at the name in the file too") {
  CommandFixture fixture;
  std::filesystem::copy_file(fixture.folder.File("good.plan.json"),
                             fixture.folder.File("renamed.plan.json"));
  fixture.options.plans = {"renamed"};
  CHECK(fixture.Run(RunCheck) == kExitUsage);
  CHECK(fixture.err().find("/plan_name: ") != std::string::npos);
}

TEST_CASE("with a registry at fault nothing is checked") {
  CommandFixture fixture;
  fixture.folder.Write("registry.json", "[]");
  fixture.options.plans = {"good"};
  fixture.options.json = true;
  CHECK(fixture.Run(RunCheck) == kExitUsage);
  CHECK(fixture.out() == "");
  CHECK(fixture.err().find("registry.json") != std::string::npos);
}

TEST_CASE("plans lists sound and broken ones") {
  CommandFixture fixture;
  CHECK(fixture.Run(RunPlans) == kExitOk);
  CHECK(fixture.out() ==
        "PLAN    NODES  USER_ID  STATUS\n"
        "broken  -      -        invalid, see: rankd check broken\n"
        "future  -      -        invalid, see: rankd check future\n"
        "good    3      -        ok\n"
        "other   2      -        ok\n");
  fixture.options.json = true;
  CHECK(fixture.Run(RunPlans) == kExitOk);
  const JsonDocument document = fixture.Json();
  const std::span<const Json> plans = document.root().Find("plans")->items();
  REQUIRE(plans.size() == 4);
  CHECK(plans[0].Find("ok")->AsBool() == false);
  CHECK(plans[0].Find("problems")->AsInt() == 3);
  CHECK(plans[2].Find("plan")->AsString() == "good");
  CHECK(plans[2].Find("nodes")->AsInt() == 3);
}

TEST_CASE("tasks lists every op with its params") {
  CommandFixture fixture;
  CHECK(fixture.Run(RunTasks) == kExitOk);
  CHECK(static_cast<std::size_t>(std::ranges::count(fixture.out(), '\n')) ==
        fixture.tasks.all().size() + 1);
  CHECK(fixture.out().starts_with("OP "));
  fixture.options.json = true;
  CHECK(fixture.Run(RunTasks) == kExitOk);
  const JsonDocument document = fixture.Json();
  const std::span<const Json> tasks = document.root().Find("tasks")->items();
  REQUIRE(tasks.size() == fixture.tasks.all().size());
  const auto concat = std::ranges::find(
      tasks, "concat", [](const Json& task) { return task.Find("op")->AsString(); });
  REQUIRE(concat != tasks.end());
  CHECK(concat->Find("min_inputs")->AsInt() == 2);
  CHECK(concat->Find("max_inputs")->is_null());
}

TEST_CASE("keys lists the registry") {
  CommandFixture fixture;
  CHECK(fixture.Run(RunKeys) == kExitOk);
  CHECK(fixture.out().find("score") != std::string::npos);
  CHECK(fixture.out().find("deprecated") != std::string::npos);
  fixture.options.json = true;
  CHECK(fixture.Run(RunKeys) == kExitOk);
  const JsonDocument document = fixture.Json();
  const std::span<const Json> keys = document.root().Find("keys")->items();
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].Find("name")->AsString() == "id");
  CHECK(keys[0].Find("allow_write")->AsBool() == false);
  CHECK(keys[2].Find("status")->AsString() == "deprecated");
  const std::span<const Json> params = document.root().Find("params")->items();
  REQUIRE(params.size() == 5);
  CHECK(params[0].Find("default") == nullptr);
  CHECK(params[1].Find("default")->AsInt() == 3);
}

TEST_CASE("demo-data prints each memory endpoint's data once, wherever Redis is") {
  CommandFixture fixture;
  fixture.environment.redis_url = "redis://elsewhere";
  fixture.environment.env = "prod";
  CHECK(fixture.Run(RunDemoData) == kExitOk);
  CHECK(fixture.out() ==
        "*2\r\n$3\r\nDEL\r\n$6\r\nuser:1\r\n"
        "*4\r\n$4\r\nHSET\r\n$6\r\nuser:1\r\n$7\r\ncountry\r\n$2\r\nUS\r\n");
}

TEST_CASE("demo-data without a memory endpoint is an error") {
  CommandFixture fixture;
  fixture.folder.Write("endpoints.demo.json", R"({"endpoints":[]})");
  CHECK(fixture.Run(RunDemoData) == kExitUsage);
  CHECK(fixture.out() == "");
  CHECK(fixture.err() == "rankd: endpoints.demo.json has no memory endpoint\n");
}

}  // namespace
}  // namespace rankd
