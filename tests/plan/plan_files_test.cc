#include "engine/plan/plan_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rankd {
namespace {

namespace fs = std::filesystem;

/// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "rankd_plan_test_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  std::string File(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

TEST_CASE("plans of a directory are listed by name, sorted") {
  const TemporaryDirectory dir;
  dir.File("b.plan.json", "{}");
  dir.File("a9_.plan.json", "{}");
  dir.File("registry.json", "{}");
  dir.File("bad-name.plan.json", "{}");
  dir.File(".plan.json", "{}");
  fs::create_directory(dir.path() + "/d.plan.json");
  const Result<std::vector<std::string>> names = ListPlans(dir.path());
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"a9_", "b"});
}

TEST_CASE("a directory that is not there cannot be listed") {
  const TemporaryDirectory dir;
  const Result<std::vector<std::string>> names = ListPlans(dir.path() + "/none");
  REQUIRE(!names);
  CHECK(names.error().code == ErrorCode::kUnknownPlan);
  CHECK(names.error().message.find("No such file") != std::string::npos);
}

TEST_CASE("a plan is found by name, and a name that is no plan's gets the nearest") {
  const TemporaryDirectory dir;
  const std::string path = dir.File("mixed_pipeline.plan.json", "{}");
  CHECK(FindPlan(dir.path(), "mixed_pipeline") == path);
  CHECK(FindPlan(dir.path() + "/", "mixed_pipeline") == path);
  const Result<std::string> misspelt = FindPlan(dir.path(), "mixed_pipelin");
  REQUIRE(!misspelt);
  CHECK(misspelt.error().code == ErrorCode::kUnknownPlan);
  CHECK(misspelt.error().message.find("did you mean \"mixed_pipeline\"?") != std::string::npos);
  for (const std::string_view bad : {"", "../x", "a.b", "/etc/passwd"}) {
    const Result<std::string> no_name = FindPlan(dir.path(), bad);
    REQUIRE(!no_name);
    CHECK(no_name.error().message.find("is no plan name") != std::string::npos);
  }
}

TEST_CASE("the plan name of a path is its stem") {
  CHECK(PlanNameOf("a.plan.json") == "a");
  CHECK(PlanNameOf("/x/y/a_1.plan.json") == "a_1");
  CHECK(!PlanNameOf("a.json"));
  CHECK(!PlanNameOf("/x/.plan.json"));
  CHECK(!PlanNameOf("a-b.plan.json"));
  CHECK(PlanPath("", "a") == "a.plan.json");
  CHECK(PlanPath("d", "a") == "d/a.plan.json");
}

TEST_CASE("a file is read whole, whatever its bytes") {
  const TemporaryDirectory dir;
  const std::string bytes("\0\xff\n{", 4);
  CHECK(ReadWholeFile(dir.File("x", bytes)) == bytes);
  CHECK(ReadWholeFile(dir.File("empty", "")) == "");
  const std::string large(300'000, 'x');
  CHECK(ReadWholeFile(dir.File("large", large)) == large);
}

TEST_CASE("a pipe can be read like a file") {
  const TemporaryDirectory dir;
  const std::string path = dir.path() + "/fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string large(200'000, 'y');
  std::thread writer([&] { std::ofstream(path) << large; });
  const Result<std::string> read = ReadWholeFile(path);
  writer.join();
  CHECK(read == large);
}

TEST_CASE("a file that cannot be read says why") {
  const TemporaryDirectory dir;
  const auto message = [](const Result<std::string>& result) {
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kInvalidPlan);
    return result.error().message;
  };
  CHECK(message(ReadWholeFile(dir.path() + "/none")) == "there is no such file");
  CHECK(message(ReadWholeFile(dir.path())) == "it is a directory, not a file");
  CHECK(message(ReadWholeFile(dir.File("x", "12345"), 4)) == "the file is longer than 4 bytes");
  CHECK(ReadWholeFile(dir.File("x", "1234"), 4) == "1234");
  CHECK(message(ReadWholeFile(dir.File("f", "") + "/below")).find("Not a directory") !=
        std::string::npos);
}

TEST_CASE("a JSON file that cannot be read or parsed is a problem of the whole file") {
  const TemporaryDirectory dir;
  Problems problems;
  CHECK(ReadJsonFile(dir.File("good", "\xEF\xBB\xBF{\"a\":1}"), problems));
  CHECK(problems.all().empty());
  CHECK(!ReadJsonFile(dir.path() + "/none", problems));
  CHECK(!ReadJsonFile(dir.File("cut", "{\"schema_version\":1,"), problems));
  REQUIRE(problems.all().size() == 2);
  for (const Problem& problem : problems.all()) CHECK(problem.pointer.empty());
}

}  // namespace
}  // namespace rankd
