#include "cli/workspace.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "tasks/builtin.h"
#include "tests/cli/plan_folder.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

struct WorkspaceFixture {
  WorkspaceFixture() { options.plan_dir = folder.path(); }

  bool Open() {
    workspace = Workspace::Open(options, environment, tasks, recording.console);
    return workspace != nullptr;
  }
  /// Opens and loads the plan of the flags.
  bool Load() { return Open() && workspace->plans().LoadDefault(options); }

  std::string Outcome(std::string_view plan) {
    const Result<PlanForRequest> found = workspace->plans().Find(plan);
    if (found) return "ok";
    message = found.error().message;
    return std::string(CodeName(found.error().code));
  }
  std::string Told() { return std::exchange(recording.err.text, ""); }
  std::string File(const std::string& name) const { return folder.File(name); }

  PlanFolder folder;
  WorkspaceOptions options;
  Environment environment;
  const TaskCatalog tasks = BuiltinTasks();
  RecordingConsole recording;
  std::unique_ptr<Workspace> workspace;
  std::string message;
};

/// Another current directory for one test.
class InDirectory {
 public:
  explicit InDirectory(const std::string& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  InDirectory(const InDirectory&) = delete;
  InDirectory& operator=(const InDirectory&) = delete;
  ~InDirectory() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

TEST_CASE("the plan directory is the flag's, the plan file's folder, the variable's, or beside") {
  const TempDir dir;
  const std::string named = dir.File("named");
  const std::string installed = dir.File("share/rankd/plans");
  std::filesystem::create_directories(named);
  std::filesystem::create_directories(installed);
  std::filesystem::create_directories(dir.File("bin"));
  const InDirectory inside(dir.path());
  Environment environment;
  WorkspaceOptions options;
  CHECK_FALSE(FindPlanDir(options, environment));
  environment.binary = dir.File("self");
  std::filesystem::create_symlink(dir.File("bin/rankd"), environment.binary);
  CHECK(FindPlanDir(options, environment) == installed);
  std::filesystem::create_directories("plans");
  CHECK(FindPlanDir(options, environment) == "plans");
  environment.plan_dir = named;
  CHECK(FindPlanDir(options, environment) == named);
  options.plan_file = dir.File("x.plan.json");
  CHECK(FindPlanDir(options, environment) == dir.path());
  options.plan_file = "x.plan.json";
  CHECK(FindPlanDir(options, environment) == ".");
  options.plan_dir = named;
  CHECK(FindPlanDir(options, environment) == named);
  options.plan_dir = dir.File("nowhere");
  REQUIRE_FALSE(FindPlanDir(options, environment));
  CHECK(FindPlanDir(options, environment).error().message ==
        "--plan_dir: " + dir.File("nowhere") + " is no directory");
  environment.plan_dir = dir.File("nowhere");
  CHECK_FALSE(FindPlanDir({}, environment));
}

TEST_CASE("without registry and endpoints there is the key id only") {
  WorkspaceFixture fixture;
  std::filesystem::remove(fixture.File("registry.json"));
  std::filesystem::remove(fixture.File("endpoints.demo.json"));
  REQUIRE(fixture.Open());
  CHECK(fixture.workspace->registry().key_count() == 1);
  CHECK(fixture.workspace->endpoints().all().empty());
  CHECK(fixture.Told() == "");
}

TEST_CASE("everything wrong with the files is told at once") {
  WorkspaceFixture fixture;
  fixture.folder.Write("registry.json", R"({"keys":[{"name":"9","type":"int"},{"name":"a"}]})");
  fixture.folder.Write("endpoints.demo.json", "{");
  fixture.options.redis_url = "rediss://host";
  CHECK_FALSE(fixture.Open());
  const std::string told = fixture.Told();
  CHECK(told.find("registry.json: /keys/0") != std::string::npos);
  CHECK(told.find("registry.json: /keys/1") != std::string::npos);
  CHECK(told.find("endpoints.demo.json: ") != std::string::npos);
  CHECK(told.find("rankd: --redis: ") != std::string::npos);
  CHECK(told.find("rediss") != std::string::npos);
}

TEST_CASE("an environment that is asked for must be there") {
  WorkspaceFixture fixture;
  fixture.folder.Write("endpoints.prod.json", R"({"endpoints":[{"name":"p","kind":"memory"}]})");
  fixture.environment.env = "prod";
  REQUIRE(fixture.Open());
  CHECK(fixture.workspace->endpoints().Find("p").has_value());
  fixture.options.env = "demo";
  REQUIRE(fixture.Open());
  CHECK(fixture.workspace->endpoints().Find("store").has_value());
  fixture.options.env = "nope";
  CHECK_FALSE(fixture.Open());
  CHECK(fixture.Told().find("endpoints.nope.json") != std::string::npos);
  fixture.options.env = "../demo";
  CHECK_FALSE(fixture.Open());
  CHECK(fixture.Told().find("no environment name") != std::string::npos);
}

TEST_CASE("a Redis URL points every endpoint at one server, the flag before the variable") {
  WorkspaceFixture fixture;
  fixture.environment.redis_url = "redis://variable:7";
  REQUIRE(fixture.Open());
  for (const EndpointSpec& endpoint : fixture.workspace->endpoints().all()) {
    CHECK(endpoint.kind == EndpointKind::kRedis);
    CHECK(endpoint.host == "variable");
    CHECK(endpoint.port == 7);
  }
  fixture.options.redis_url = "redis://flag";
  REQUIRE(fixture.Open());
  CHECK(fixture.workspace->endpoints().all()[0].host == "flag");
  fixture.options.redis_url.reset();
  fixture.environment.redis_url = "nonsense";
  CHECK_FALSE(fixture.Open());
  CHECK(fixture.Told().starts_with("rankd: REDIS_URL: "));
}

TEST_CASE("the data of a memory endpoint is read beside the endpoints") {
  WorkspaceFixture fixture;
  REQUIRE(fixture.Open());
  const EndpointTable& endpoints = fixture.workspace->endpoints();
  const auto store = fixture.workspace->LoadStore(endpoints.at(*endpoints.Find("store")));
  REQUIRE(store != nullptr);
  CHECK(store->key_count() == 1);
  CHECK(fixture.workspace->LoadStore(EndpointSpec())->key_count() == 0);
  CHECK(fixture.workspace->LoadStore(endpoints.at(*endpoints.Find("store"))) == store);
  fixture.folder.Write("data.json", R"({"a":{"b":[]}})");
  REQUIRE(fixture.Open());
  const EndpointTable& again = fixture.workspace->endpoints();
  CHECK(fixture.workspace->LoadStore(again.at(*again.Find("store"))) == nullptr);
  CHECK(fixture.Told().find("data.json: /a") != std::string::npos);
  EndpointSpec missing;
  missing.data = "missing.json";
  CHECK(fixture.workspace->LoadStore(missing) == nullptr);
  CHECK(fixture.Told().find("missing.json") != std::string::npos);
}

TEST_CASE("the flags' plan is loaded by name or file") {
  WorkspaceFixture fixture;
  fixture.options.plan_name = "good";
  REQUIRE(fixture.Load());
  CHECK(fixture.Outcome("") == "ok");
  CHECK(fixture.workspace->plans().Find("")->plan == fixture.workspace->plans().Find("good")->plan);
  fixture.options.plan_name.reset();
  fixture.options.plan_file = fixture.File("other.plan.json");
  REQUIRE(fixture.Load());
  CHECK(fixture.workspace->plans().Find("")->plan->name == "other");
}

TEST_CASE("a flags' plan at fault is told with every problem") {
  WorkspaceFixture fixture;
  fixture.options.plan_name = "broken";
  CHECK_FALSE(fixture.Load());
  const std::string file = "rankd: " + fixture.File("broken.plan.json") + ": ";
  std::string told = fixture.Told();
  CHECK(told.starts_with(file + "/nodes/0/op: "));
  CHECK(told.find(file + "/nodes/1/inputs/0: ") != std::string::npos);
  CHECK(told.find(file + "/outputs/0: ") != std::string::npos);
  CHECK(std::ranges::count(told, '\n') == 3);
  fixture.options.plan_name = "god";
  CHECK_FALSE(fixture.Load());
  told = fixture.Told();
  CHECK(told.find("\"good\"") != std::string::npos);
  CHECK(std::ranges::count(told, '\n') == 1);
  fixture.options.plan_name = "../good";
  CHECK_FALSE(fixture.Load());
  fixture.options.plan_name.reset();
  fixture.options.plan_file = fixture.File("missing.json");
  CHECK_FALSE(fixture.Load());
  CHECK(fixture.Told().find("missing.json") != std::string::npos);
}

TEST_CASE("requests may name any plan; without one, the flags must") {
  WorkspaceFixture fixture;
  REQUIRE(fixture.Load());
  CHECK(fixture.Outcome("good") == "ok");
  CHECK(fixture.Outcome("") == "unknown_plan");
  CHECK(fixture.Outcome("goood") == "unknown_plan");
  CHECK(fixture.message.find("\"good\"") != std::string::npos);
  CHECK(fixture.Outcome("future") == "unsupported_capability");
  CHECK(fixture.Outcome("broken") == "invalid_plan");
  CHECK(fixture.message ==
        "plan \"broken\" is invalid: /nodes/0/op: unknown op \"fixd_source\", did you mean "
        "\"fixed_source\"? (and 2 more problems)");
}

TEST_CASE("a plan is read and its problems told once") {
  WorkspaceFixture fixture;
  REQUIRE(fixture.Load());
  CHECK(fixture.Outcome("broken") == "invalid_plan");
  CHECK(std::ranges::count(fixture.Told(), '\n') == 3);
  std::filesystem::remove(fixture.File("broken.plan.json"));
  CHECK(fixture.Outcome("broken") == "invalid_plan");
  CHECK(fixture.Told() == "");
}

TEST_CASE("a deprecated key is noted once, whichever plans use it; pruned nodes are not noted") {
  WorkspaceFixture fixture;
  fixture.options.plan_name = "good";
  REQUIRE(fixture.Load());
  CHECK(fixture.Told() == "rankd: " + fixture.File("good.plan.json") +
                              ": /nodes/2/params/out_key: warning: the key \"old\" is "
                              "deprecated\n");
  CHECK(fixture.Outcome("other") == "ok");
  CHECK(fixture.Told() == "");
}

TEST_CASE("--param values are defaults of the plans that know them") {
  WorkspaceFixture fixture;
  fixture.options.plan_name = "good";
  fixture.options.params = {{"limit", "7"}, {"own", "text"}, {"late", "1"}};
  REQUIRE(fixture.Load());
  CHECK(fixture.Told().ends_with("rankd: the param \"late\" is deprecated\n"));
  const PlanForRequest good = *fixture.workspace->plans().Find("");
  CHECK(good.defaults->Get(*good.plan->schema->FindParam("limit")) == Value(std::int64_t{7}));
  CHECK(good.defaults->Get(*good.plan->schema->FindParam("own")) == Value(std::string("text")));
  // Another plan's param of that name is an int.
  CHECK(fixture.Outcome("other") == "invalid_param");
  // A third plan does not know it.
  fixture.folder.Write("third.plan.json",
                       R"({"schema_version":1,"plan_name":"third",
                           "nodes":[{"node_id":"s","op":"fixed_source","params":{"row_count":2}}],
                           "outputs":["s"]})");
  const Result<PlanForRequest> third = fixture.workspace->plans().Find("third");
  REQUIRE(third);
  CHECK(third->defaults->Get(*third->plan->schema->FindParam("limit")) == Value(std::int64_t{7}));
}

TEST_CASE("--param must fit the flags' plan") {
  for (const ParamFlag& flag :
       {ParamFlag{"wieght", "1"}, ParamFlag{"weight", "x"}, ParamFlag{"gone", "1"}}) {
    WorkspaceFixture fixture;
    fixture.options.plan_name = "good";
    fixture.options.params = {flag};
    CHECK_FALSE(fixture.Load());
    CHECK(fixture.Told().find("rankd: --param: ") != std::string::npos);
  }
}

}  // namespace
}  // namespace rankd
