#include "engine/plan/problem.h"

#include <doctest/doctest.h>

#include "engine/plan/place.h"

namespace rankd {
namespace {

TEST_CASE("a problem is one line with file, pointer and message") {
  Problems problems;
  problems.Add("/nodes/1/params/expr", "what is wrong");
  problems.Add("", "not valid JSON");
  problems.Warn("/nodes/2", "will not run");
  CHECK(FormatProblem("p.plan.json", problems.all()[0]) ==
        "rankd: p.plan.json: /nodes/1/params/expr: what is wrong");
  CHECK(FormatProblem("p.plan.json", problems.all()[1]) == "rankd: p.plan.json: not valid JSON");
  CHECK(FormatProblem("p", problems.all()[2]) == "rankd: p: /nodes/2: warning: will not run");
  CHECK(problems.error_count() == 2);
}

TEST_CASE("further lines of a message are indented") {
  Problems problems;
  problems.Add("/x", "column 3: oops\na + )\n    ^");
  CHECK(FormatProblem("f", problems.all()[0]) ==
        "rankd: f: /x: column 3: oops\n    a + )\n        ^");
}

TEST_CASE("a field's name cannot break the line, nor control a terminal") {
  Problems problems;
  problems.Add("/a\nb\x7f", "m");
  problems.Add("", "\x7f\x1b[31m \u0080 é \u009b2J\n  x\t\u00a0");
  CHECK(FormatProblem("f", problems.all()[0]) == "rankd: f: /a\\u000ab\\u007f: m");
  CHECK(FormatProblem("f", problems.all()[1]) ==
        "rankd: f: \\u007f\\u001b[31m \\u0080 é \\u009b2J\n      x\\u0009\u00a0");
}

TEST_CASE("a place becomes an escaped JSON pointer") {
  const Place root;
  CHECK(root.Pointer().empty());
  const Place nodes(root, "no/d~es");
  const Place node(nodes, 12);
  CHECK(Place(node, "").Pointer() == "/no~1d~0es/12/");
}

}  // namespace
}  // namespace rankd
