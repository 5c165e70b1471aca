// `rankd explain` as a command: golden texts of the plans that ship, errors, and Graphviz.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/explain/graphviz.h"
#include "engine/plan/plan_files.h"
#include "tasks/builtin.h"
#include "tests/cli/plan_folder.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

const std::string kPlans = RANKD_PLANS_DIR;
const std::string kGolden = RANKD_GOLDEN_DIR;

struct ExplainFixture {
  explicit ExplainFixture(std::string plan_dir) {
    options.workspace.plan_dir = std::move(plan_dir);
  }

  int Explain(const std::string& plan, ExplainFormat format = ExplainFormat::kText) {
    recording.out.text.clear();
    recording.err.text.clear();
    options.plans = {plan};
    options.explain.format = format;
    return RunExplain({options, environment, tasks, recording.console});
  }
  const std::string& out() const { return recording.out.text; }
  const std::string& err() const { return recording.err.text; }

  Options options;
  Environment environment;
  const TaskCatalog tasks = BuiltinTasks();
  RecordingConsole recording;
};

TEST_CASE("the plans that ship are explained as tests/golden/explain says, in every format") {
  ExplainFixture fixture(kPlans);
  const Result<std::vector<std::string>> plans = ListPlans(kPlans);
  REQUIRE(plans);
  struct Format {
    const char* name;
    ExplainFormat format;
  };
  for (const std::string& plan : *plans) {
    for (const Format& format :
         {Format{"text", ExplainFormat::kText}, Format{"dot", ExplainFormat::kDot},
          Format{"mermaid", ExplainFormat::kMermaid}, Format{"json", ExplainFormat::kJson}}) {
      const std::string file = kGolden + "/explain/" + plan + "." + format.name;
      CAPTURE(file);
      CHECK(fixture.Explain(plan, format.format) == kExitOk);
      CHECK(fixture.err() == "");
      const Result<std::string> golden = ReadWholeFile(file);
      REQUIRE(golden);
      CHECK(fixture.out() == *golden);
    }
  }
}

TEST_CASE("--cpu changes where nodes are said to run") {
  ExplainFixture fixture(kPlans);
  fixture.options.run.cpu = CpuMode::kOffload;
  CHECK(fixture.Explain("diamond") == kExitOk);
  CHECK(fixture.out().find("join  concat          pool                 5 ns/row") !=
        std::string::npos);
  fixture.options.run.cpu = CpuMode::kInline;
  CHECK(fixture.Explain("diamond") == kExitOk);
  CHECK(fixture.out().find("join  concat          inline               5 ns/row") !=
        std::string::npos);
}

TEST_CASE("problems are told as check tells them, with status 2 and nothing on stdout") {
  const PlanFolder folder;
  ExplainFixture fixture(folder.path());
  CHECK(fixture.Explain("broken") == kExitUsage);
  CHECK(fixture.out() == "");
  CHECK(fixture.err().find("broken.plan.json: /nodes/0/op: unknown op \"fixd_source\"") !=
        std::string::npos);
  CHECK(fixture.err().find("broken.plan.json: /outputs/0: ") != std::string::npos);
  CHECK(fixture.Explain("godo") == kExitUsage);
  CHECK(fixture.err().find("rankd: godo: no plan \"godo\"") == 0);
  CHECK(fixture.err().find("did you mean \"good\"?") != std::string::npos);
  CHECK(fixture.Explain(folder.File("good.plan.json")) == kExitOk);
  CHECK(fixture.err().find("/nodes/1: warning: ") != std::string::npos);
  CHECK(fixture.out().find("◌  unused  take  ← s") != std::string::npos);
}

/// A program for RenderSvg.
std::string Script(const TempDir& dir, const std::string& body) {
  const std::string path = dir.File("dot");
  WriteFile(path, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

constexpr std::chrono::minutes kPlenty{5};

TEST_CASE("dot reads the graph from its stdin, and what it prints is the picture") {
  const TempDir dir;
  const auto svg = RenderSvg("digraph {}", kPlenty, Script(dir, "echo \"$@\"; cat"));
  REQUIRE(svg);
  CHECK(*svg == "-Tsvg\ndigraph {}");
}

TEST_CASE("pictures and graphs may be larger than a pipe holds, read or not") {
  const TempDir dir;
  const std::string graph(3'000'000, 'x');
  const auto svg = RenderSvg(graph, kPlenty, Script(dir, "cat; cat /dev/null; yes | head -c 9"));
  REQUIRE(svg);
  CHECK(svg->size() == graph.size() + 9);
  CHECK(*RenderSvg(graph, kPlenty, Script(dir, "echo done")) == "done\n");
}

TEST_CASE("where dot is not installed the package is named") {
  const auto svg = RenderSvg("digraph {}", kPlenty, "no-such-program-as-dot");
  REQUIRE_FALSE(svg);
  CHECK(svg.error() ==
        "no-such-program-as-dot is not installed; it is in the package graphviz "
        "(apt-get install graphviz)");
}

TEST_CASE("what dot complains of is passed on, how it ended too") {
  const TempDir dir;
  const auto failed = RenderSvg(
      "", kPlenty, Script(dir, "echo half; echo 'Error: bad' >&2; echo more >&2; exit 3"));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().ends_with("dot failed with status 3: Error: bad"));
  const auto killed = RenderSvg("", kPlenty, Script(dir, "kill -9 $$"));
  REQUIRE_FALSE(killed);
  CHECK(killed.error().ends_with("dot was ended by signal 9"));
}

TEST_CASE("a dot that takes too long is killed") {
  const TempDir dir;
  // The second closes its output and stays.
  for (const char* script :
       {"echo half; exec tail -f /dev/null", "echo half; exec >&-; exec sleep 100"}) {
    const auto svg = RenderSvg("", std::chrono::milliseconds(30), Script(dir, script));
    REQUIRE_FALSE(svg);
    CHECK(svg.error().ends_with("dot took longer than 0 s for this graph and was stopped"));
  }
}

TEST_CASE("a file is replaced as a whole, keeps its mode, and stays as it was on failure") {
  const TempDir dir;
  const std::string file = dir.File("a.svg");
  CHECK(ReplaceFile(file, "one"));
  CHECK(*ReadWholeFile(file) == "one");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  CHECK(ReplaceFile(file, "two"));
  CHECK(*ReadWholeFile(file) == "two");
  CHECK(std::filesystem::status(file).permissions() == std::filesystem::perms::owner_read);
  std::filesystem::create_symlink("a.svg", dir.File("link.svg"));
  CHECK(ReplaceFile(dir.File("link.svg"), "three"));
  CHECK(std::filesystem::is_symlink(dir.File("link.svg")));
  CHECK(*ReadWholeFile(file) == "three");
  CHECK(ReplaceFile(dir.File("no/such/folder"), "x").error() == "No such file or directory");
  CHECK(ReplaceFile(dir.path(), "x").error() == "Is a directory");
  CHECK(ReplaceFile("/dev/full", "x").error() == "No space left on device");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()),
                      std::filesystem::directory_iterator()) == 2);
}

}  // namespace
}  // namespace rankd
