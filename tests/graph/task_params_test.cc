// The small types that tasks are given: key sets, key templates, number params.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/data/column.h"
#include "engine/task/key_set.h"
#include "engine/task/key_template.h"
#include "engine/task/task.h"
#include "tests/graph/fake_tasks.h"

namespace rankd {
namespace {

TEST_CASE("a key set behaves as a set that always holds id") {
  CHECK(KeySet().Contains(kIdKey));
  CHECK(KeySet().keys().size() == 1);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto draw = [&] {
      std::vector<KeyId> keys(random() % 6);
      for (KeyId& key : keys) key = KeyId{static_cast<std::uint32_t>(random() % 9)};
      return keys;
    };
    const std::vector<KeyId> first = draw();
    const std::vector<KeyId> second = draw();
    std::set<KeyId> model(first.begin(), first.end());
    model.insert(kIdKey);
    KeySet keys(first);
    CHECK(std::ranges::equal(keys.keys(), model));
    KeySet one_by_one;
    for (const KeyId key : first) one_by_one.Add(key);
    CHECK(one_by_one == keys);
    model.insert(second.begin(), second.end());
    keys.AddAll(KeySet(second));
    CHECK(std::ranges::equal(keys.keys(), model));
    for (std::uint32_t i = 0; i < 9; ++i) {
      CHECK(keys.Contains(KeyId{i}) == model.contains(KeyId{i}));
    }
  }
}

struct TemplateRows {
  Schema schema = FakeSchema();
  RowSet rows;

  TemplateRows() {
    Bitmap validity(2, true);
    validity.Clear(1);
    ColumnBuilder text(ValueType::kString);
    text.AppendString("a b\n{id}");
    text.AppendString("");
    std::vector<RowSet::Entry> entries;
    entries.push_back({kIdKey, Column::Make(Column::Ints{-7, 8})});
    entries.push_back({*schema.FindKey("score"), Column::Make(Column::Floats{1e16, 0.5})});
    entries.push_back({*schema.FindKey("n"), Column::Make(Column::Ints{5, 0}, validity)});
    entries.push_back({*schema.FindKey("text"), std::move(text).Finish()});
    rows = RowSet(std::move(entries));
  }

  /// The key of a row, or "code: message".
  std::string Key(std::string_view text, std::size_t row) const {
    const Result<KeyTemplate> key = KeyTemplate::Parse(text, schema);
    REQUIRE(key);
    std::string out = ">";
    const Result<void> appended = key->Append(rows, row, schema, out);
    if (!appended) {
      return std::string(CodeName(appended.error().code)) + ": " + appended.error().message;
    }
    return out;
  }
};

TEST_CASE("a key template is filled with the keys of a row") {
  const TemplateRows test;
  CHECK(test.Key("user:{id}", 0) == ">user:-7");
  CHECK(test.Key("{id}{id}:", 1) == ">88:");
  CHECK(test.Key("plain", 1) == ">plain");
  CHECK(test.Key("", 1) == ">");
  CHECK(test.Key("{score}/{n}", 0) == ">1e+16/5");
  CHECK(test.Key("{text}", 0) == ">a b\n{id}");  // byte for byte, not read again
  CHECK(test.Key("x{text}y", 1) == ">xy");
}

TEST_CASE("a key template reads the row that a selection shows") {
  TemplateRows test;
  test.rows = test.rows.WithSelection(std::make_shared<const Selection>(Selection{1, 0}));
  CHECK(test.Key("{id}", 0) == ">8");
  CHECK(test.Key("{n}", 1) == ">5");
}

TEST_CASE("a null in a key template is bad data") {
  const TemplateRows test;
  const std::string null = test.Key("a:{n}", 1);
  CHECK(null.starts_with("bad_data: "));
  CHECK(null.find("\"n\", which is null (row with id 8)") != std::string::npos);
  CHECK(test.Key("{kept}", 0).find("not carried") != std::string::npos);
}

TEST_CASE("a key template that only needs the id says so") {
  const Schema schema = FakeSchema();
  const Result<KeyTemplate> key = KeyTemplate::Parse("a:{id}:b", schema);
  REQUIRE(key);
  CHECK(key->uses_only_id());
  CHECK(key->ForId(-9) == "a:-9:b");
  REQUIRE(key->pattern() != nullptr);
  CHECK(key->pattern()->For(-9) == "a:-9:b");
  CHECK(KeyTemplate::Parse("{id}{id}:", schema)->ForId(8) == "88:");
  for (const char* text : {"fixed", "{id}{id}", "{n}", "{id}{n}"}) {
    CHECK(KeyTemplate::Parse(text, schema)->pattern() == nullptr);
  }
  CHECK(KeyTemplate::Parse("fixed", schema)->uses_only_id());
  CHECK(!KeyTemplate::Parse("{id}{n}", schema)->uses_only_id());
}

TEST_CASE("a key template that cannot be read is an error of the plan") {
  const Schema schema = FakeSchema();
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"user:{idd}", "did you mean \"id\"?"},
      {"user:{", "not closed"},
      {"user:{id", "not closed"},
      {"user:{i{d}", "not closed"},
      {"{}", "names no key"},
      {"user:id}", "closes no"},
      {"{id}}", "closes no"},
  };
  for (const auto& [text, part] : cases) {
    CAPTURE(std::string(text));
    const Result<KeyTemplate> key = KeyTemplate::Parse(text, schema);
    REQUIRE(!key);
    CHECK(key.error().code == ErrorCode::kInvalidPlan);
    CHECK(key.error().message.find(part) != std::string::npos);
  }
}

/// The number of `expr` over `rows` (none: no inputs), or "code: message".
std::string Number(std::string_view expr, const RowSet* rows, std::optional<std::int64_t> limit) {
  const Schema schema = FakeSchema();
  ExpressionScope scope;
  scope.schema = &schema;
  scope.kind = ExpressionKind::kScalar;
  scope.target = ValueType::kInt;
  std::vector<Error> errors;
  const ExpressionRef expression = CompileText(expr, scope, errors);
  REQUIRE(expression);
  ParamValues params(schema);
  if (limit) params.Set(*schema.FindParam("limit"), *limit);
  EvalEnv env;
  env.params = &params;
  env.schema = &schema;
  Result<BoundExpression> bound = Bind(expression, env);
  REQUIRE(bound);
  NodeContext context;
  context.schema = &schema;
  context.expressions = std::span(&*bound, 1);
  if (rows != nullptr) context.inputs = std::span(rows, 1);
  const NumberParam number(ExpressionSlot{0}, "count", 1, 10);
  CHECK(!number.literal());
  const Result<std::int64_t> value = number.Evaluate(context);
  if (value) return std::to_string(*value);
  return std::string(CodeName(value.error().code)) + ": " + value.error().message;
}

TEST_CASE("a number param is a literal or the value of its expression") {
  CHECK(NumberParam(7).literal() == 7);
  CHECK(NumberParam(7).Evaluate(NodeContext()) == 7);
  const RowSet rows(Column::Make(Column::Ints{1, 2, 3}));
  CHECK(Number("count()", &rows, {}) == "3");
  CHECK(Number("P.limit + 1", nullptr, 9) == "10");
  CHECK(Number("P.limit", nullptr, 11) ==
        "invalid_param: \"count\" is 11, out of its range 1 to 10");
  CHECK(Number("count()", nullptr, {}) ==
        "invalid_param: \"count\" is 0, out of its range 1 to 10");
  CHECK(Number("P.limit", nullptr, {}) == "invalid_param: \"count\" is null");
}

}  // namespace
}  // namespace rankd
