// Params, loop variables, the error of a catch body; regexes from params; being stopped.
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/support.h"

namespace rankd::test {
namespace {

/// The code Bind fails with, or nullopt.
std::optional<Error> BindError(const std::string& text, const ParamValues& params,
                               const ExpressionScope& scope = RowScope()) {
  EvalEnv env;
  env.params = &params;
  env.schema = &TestSchema();
  Result<BoundExpression> bound = Bind(CompileOk(text, scope), env);
  if (bound) return std::nullopt;
  return bound.error();
}

TEST_CASE("a nullable param without value reads as null") {
  const RowSet rows = Rows({{"i", {std::int64_t{1}, std::int64_t{2}}}});
  CHECK(ColumnOf("i + P.pi", rows) == std::vector<Value>(2));
  CHECK(ColumnOf("P.pi == null", rows) == std::vector<Value>{true, true});
  CHECK(ColumnOf("i + coalesce(P.pi, 10)", rows) ==
        std::vector<Value>{std::int64_t{11}, std::int64_t{12}});
  const ParamValues params = Params({{"pi", std::int64_t{5}}});
  CHECK(ColumnOf("i + P.pi", rows, params) == std::vector<Value>{std::int64_t{6}, std::int64_t{7}});
  CHECK(ColumnOf("P.pi == null", rows, params) == std::vector<Value>{false, false});
  CHECK(ColumnOf("if(P.pi > 4, P.ps, text(i))", rows, params) == std::vector<Value>(2));
}

TEST_CASE("a param of type float takes an int") {
  const RowSet rows = Rows({{"i", {std::int64_t{1}}}});
  CHECK(ColumnOf("P.pf", rows, Params({{"pf", std::int64_t{2}}})) == std::vector<Value>{2.0});
}

TEST_CASE("a param that may not be null is missed only where null is no answer") {
  struct Case {
    std::string text;
    bool missing;
  };
  const Case cases[] = {
      {"coalesce(P.ni, 1)", false},
      {"coalesce(1, P.ni)", false},
      {"is_null(P.ni)", false},
      {"not_null(P.ni)", false},
      {"coalesce(is_null(P.ni), true)", false},
      {"P.ni", true},
      {"i > P.ni", true},
      {"P.ni == null", true},
      {"coalesce(P.ni + 1, 1)", true},
      {"coalesce(-P.ni, 1)", true},
      {"is_null(abs(P.ni))", true},
      {"if(false, P.ni, 1)", true},
      {"false && P.ni > 1", true},
      {"coalesce(P.ni, 1) + P.ni", true},
      {"min(P.ni, 1)", true},
      {"contains(s, P.ns)", true},
      {"regex(s, P.ns)", true},
      {"regex(s, P.ps)", true},  // nullable, but a pattern
      {"regex(P.ns, 'x')", true},
      {"is_null(regex(s, P.ps))", true},
  };
  const ParamValues given =
      Params({{"ni", std::int64_t{1}}, {"ns", std::string("x")}, {"ps", std::string("y")}});
  for (const Case& test : cases) {
    CAPTURE(test.text);
    const std::optional<Error> error = BindError(test.text, Params());
    CHECK(error.has_value() == test.missing);
    if (error) {
      CHECK(error->code == ErrorCode::kMissingParam);
      CHECK(error->message.find(test.text.find("P.ni") != std::string::npos ? "\"ni\""
                                : test.text.find("P.ns") != std::string::npos
                                    ? "\"ns\""
                                    : "\"ps\"") != std::string::npos);
    }
    CHECK_FALSE(BindError(test.text, given).has_value());
  }
  CHECK(BindError("count() > P.ni", Params(), ScalarScope())->code == ErrorCode::kMissingParam);
  CHECK(BindError("sum(i * P.ni)", Params(), ScalarScope())->code == ErrorCode::kMissingParam);
}

TEST_CASE("a regex may come from a param, and a bad one is told when it is bound") {
  const RowSet rows = Rows({{"s", {std::string("US"), std::string("CA"), Value()}}});
  const ParamValues params = Params({{"ps", std::string("^u")}});
  CHECK(ColumnOf("regex(s, P.ps)", rows, params) == std::vector<Value>{false, false, false});
  CHECK(ColumnOf("regex(s, P.ps, 'i')", rows, params) == std::vector<Value>{true, false, false});
  CHECK(ColumnOf("regex('u2', P.ps)", rows, params) == std::vector<Value>{true, true, true});
  const std::optional<Error> error =
      BindError("regex(s, P.ps)", Params({{"ps", std::string("(")}}));
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::kInvalidParam);
  CHECK(error->message.find("\"ps\"") != std::string::npos);
  CHECK(BindError("false && regex(s, P.ps)", Params({{"ps", std::string("(")}}))->code ==
        ErrorCode::kInvalidParam);
}

TEST_CASE("what depends on params only is computed once and may be a string") {
  const RowSet rows = Rows({{"i", {std::int64_t{1}, std::int64_t{2}}},
                            {"s", {std::string("ab-3!"), std::string("zz")}}});
  const ParamValues params = Params({{"ps", std::string("AB")}, {"pi", std::int64_t{3}}});
  CHECK(ColumnOf("concat(lower(P.ps), '-', text(P.pi))", rows, params) ==
        std::vector<Value>{std::string("ab-3"), std::string("ab-3")});
  CHECK(ColumnOf("starts_with(s, concat(lower(P.ps), '-', text(P.pi)))", rows, params) ==
        std::vector<Value>{true, false});
}

TEST_CASE("loop variables are ints by slot, the innermost of a name first") {
  const std::vector<std::string> names = {"i", "chunk", "i"};
  const std::vector<std::int64_t> values = {1, 20, 300};
  for (const ExpressionKind kind : {ExpressionKind::kRow, ExpressionKind::kScalar}) {
    ExpressionScope scope = RowScope();
    scope.kind = kind;
    scope.loop_variables = names;
    EvalEnv env;
    env.schema = &TestSchema();
    env.loop_values = values;
    const BoundExpression bound = Bind(CompileOk("L.i + L.chunk", scope), env).value();
    const RowSet rows = Rows({{"i", {std::int64_t{5}}}});
    const Value value = kind == ExpressionKind::kScalar
                            ? bound.EvaluateScalar(rows, StopToken()).value()
                            : bound.EvaluateColumn(rows, StopToken()).value()->At(0);
    CHECK(value == Value(std::int64_t{320}));
  }
  ExpressionScope scope = RowScope();
  scope.loop_variables = names;
  CHECK(ProblemsOf("L.chunks", scope)[0].message.find("did you mean \"chunk\"?") !=
        std::string::npos);
}

TEST_CASE("a catch body knows its error") {
  ExpressionScope scope = ScalarScope();
  scope.error_variables = true;
  Error error(ErrorCode::kRedisTimeout, "no reply");
  error.node = "fetch";
  EvalEnv env;
  env.schema = &TestSchema();
  env.error = &error;
  const BoundExpression bound =
      Bind(CompileOk("concat(E.code, '/', E.message, '/', E.node)", scope), env).value();
  CHECK(bound.EvaluateScalar(RowSet(), StopToken()).value() ==
        Value(std::string("redis_timeout/no reply/fetch")));
  CHECK(ProblemsOf("E.cod", scope)[0].message.find("did you mean \"code\"?") != std::string::npos);
}

TEST_CASE("a bound expression needs nothing of what it was bound with") {
  const std::string text(100, 'x');
  auto params = std::make_unique<ParamValues>(Params({{"ps", text}}));
  const BoundExpression bound = BindOk(CompileOk("contains(s, P.ps)", RowScope()), *params);
  params.reset();
  const RowSet rows = Rows({{"s", {"a" + text, std::string("x")}}});
  CHECK(ValuesOf(*bound.EvaluateColumn(rows, StopToken()).value()) ==
        std::vector<Value>{true, false});
}

TEST_CASE("a bound expression outlives the reference it was made from, and moves") {
  ExpressionRef compiled = CompileOk("concat('x', s, lower('Y'))", RowScope());
  BoundExpression first = BindOk(std::move(compiled), Params());
  const BoundExpression bound = std::move(first);
  const RowSet rows = Rows({{"s", {std::string("a")}}});
  CHECK(bound.EvaluateColumn(rows, StopToken()).value()->At(0) == Value(std::string("xay")));
}

TEST_CASE("evaluation stops between blocks when it is asked to") {
  StopFlag flag;
  flag.Request();
  const StopToken stop(flag);
  const RowSet rows = Rows({{"i", std::vector<Value>(3000, std::int64_t{1})},
                            {"s", std::vector<Value>(3000, std::string("x"))}});
  for (const char* text : {"i + 1", "concat(s, text(i))", "lower(s)", "i > 0"}) {
    const BoundExpression bound = BindOk(CompileOk(text, RowScope()), Params());
    const Result<ColumnRef> column = bound.EvaluateColumn(rows, stop);
    REQUIRE(!column.has_value());
    CHECK(column.error().code == ErrorCode::kCancelled);
  }
  for (const char* text : {"i > 0", "contains(s, 'x')"}) {
    const BoundExpression bound = BindOk(CompileOk(text, RowScope()), Params());
    CHECK(bound.EvaluateFilter(rows, stop).error().code == ErrorCode::kCancelled);
  }
  const BoundExpression scalar = BindOk(CompileOk("sum(i)", ScalarScope()), Params());
  CHECK(scalar.EvaluateScalar(rows, stop).error().code == ErrorCode::kCancelled);
  const std::vector<std::uint32_t> groups(3000, 0);
  CHECK(scalar.EvaluateGrouped(rows, groups, 1, stop).error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace rankd::test
