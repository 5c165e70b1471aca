#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine/base/json.h"
#include "tasks/builtin.h"
#include "tasks/quote.h"
#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

TEST_CASE("the builtin tasks are listed in alphabetical order, each once") {
  const TaskCatalog catalog = BuiltinTasks();
  const std::span<const TaskSpec* const> specs = catalog.all();
  CHECK(specs.size() == 21);
  CHECK(std::is_sorted(specs.begin(), specs.end(),
                       [](const TaskSpec* a, const TaskSpec* b) { return a->op <= b->op; }));
  CHECK(catalog.Find("vm") != nullptr);
  CHECK(catalog.Find("VM") == nullptr);
}

TEST_CASE("what the list says of each task is complete") {
  const TaskCatalog catalog = BuiltinTasks();
  for (const TaskSpec* listed : catalog.all()) {
    const TaskSpec& spec = *listed;
    const std::string op(spec.op);
    CAPTURE(op);
    CHECK_FALSE(spec.doc.empty());
    CHECK((spec.make != nullptr));
    CHECK(spec.min_inputs <= spec.max_inputs);
    CHECK(std::set<std::string_view>{"io", "cpu", "inline", "control flow"}.contains(spec.kind));
    std::set<std::string_view> names;
    for (const ParamDoc& param : spec.params) {
      const std::string name(param.name);
      CAPTURE(name);
      CHECK(names.insert(param.name).second);
      CHECK_FALSE(param.type.empty());
      CHECK_FALSE(param.doc.empty());
      CHECK((param.otherwise.empty() || !param.required));
      if (!param.otherwise.empty()) CHECK(ParseJson(param.otherwise).has_value());
    }
    CHECK(names.contains("rhs") == spec.takes_rhs);
  }
}

TEST_CASE("each param that the list calls required is missed by name") {
  const TaskCatalog catalog = BuiltinTasks();
  for (const TaskSpec* listed : catalog.all()) {
    const TaskSpec& spec = *listed;
    const std::vector<std::string> problems = ProblemsOf(spec.op, "{}", spec.min_inputs);
    for (const ParamDoc& param : spec.params) {
      const std::string op(spec.op);
      CAPTURE(op);
      const std::string name(param.name);
      CAPTURE(name);
      const std::string quoted = "\"" + std::string(param.name) + "\"";
      const bool missed =
          std::any_of(problems.begin(), problems.end(), [&](const std::string& problem) {
            return problem.starts_with("/nodes/0/params: ") &&
                   problem.find(quoted) != std::string::npos;
          });
      if (param.required) CHECK(missed);
    }
  }
}

TEST_CASE("the list's kind is what the task is") {
  struct Case {
    std::string_view op;
    std::string_view params;
  };
  const Case cases[] = {
      {"aggregate", R"({"out":{}})"},
      {"busy_cpu", R"({"busy_wait_ms":1})"},
      {"concat", "{}"},
      {"dedupe", "{}"},
      {"features", R"({"endpoint":"kv","fields":["n"]})"},
      {"filter", R"({"pred":"true"})"},
      {"fixed_source", R"({"row_count":2000000})"},
      {"follow", R"({"endpoint":"kv"})"},
      {"join", R"({"how":"semi"})"},
      {"media", R"({"endpoint":"kv"})"},
      {"recommendation", R"({"endpoint":"kv"})"},
      {"sleep", R"({"duration_ms":1})"},
      {"sort", R"({"key":"n"})"},
      {"take", R"({"count":1})"},
      {"viewer", R"({"endpoint":"kv"})"},
      {"vm", R"({"out_key":"n","expr":"1"})"},
  };
  const TaskCatalog catalog = BuiltinTasks();
  const auto regions = std::ranges::count(catalog.all(), "control flow",
                                          [](const TaskSpec* spec) { return spec->kind; });
  CHECK(std::size(cases) + static_cast<std::size_t>(regions) == catalog.all().size());
  CHECK(regions == 5);
  for (const Case& one : cases) {
    CAPTURE(one.op);
    const TaskSpec* spec = catalog.Find(one.op);
    REQUIRE(spec != nullptr);
    OneTask task(one.op, one.params, spec->min_inputs);
    CHECK(task.is_async() == (spec->kind == "io"));
    if (task.is_async()) continue;
    CHECK((task.cpu().placement() == Placement::kInline) == (spec->kind == "inline"));
    CHECK(task.cpu().cost().fixed_ns >= 0);
    CHECK(task.cpu().cost().ns_per_row >= 0);
  }
}

TEST_CASE("bytes are quoted so that a message stays readable and valid") {
  CHECK(Quote("user:1") == "\"user:1\"");
  CHECK(Quote("a\"b\\c\n\r\t\x01\x7f") == R"("a\"b\\c\n\r\t\x01\x7f")");
  CHECK(Quote("\xc3\xa9") == "\"\xc3\xa9\"");
  CHECK(Quote("\xc3\xa9\xff") == R"("\xc3\xa9\xff")");
  CHECK(Quote(std::string(120, 'a')) == "\"" + std::string(120, 'a') + "\"");
  CHECK(Quote(std::string(121, 'a')) == "\"" + std::string(120, 'a') + "…\"");
  // A character is not cut in two.
  CHECK(Quote(std::string(119, 'a') + "\xc3\xa9 and so on") ==
        "\"" + std::string(119, 'a') + "…\"");
}

}  // namespace
}  // namespace rankd
