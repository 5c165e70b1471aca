// Columns against rows: every operator and every function, with columns, params and literals as
// operands, at the lengths where words of validity bits and blocks of rows begin and end.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/expr/functions.h"
#include "tests/expr/reference.h"
#include "tests/expr/support.h"

namespace rankd::test {
namespace {

constexpr std::size_t kLengths[] = {0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 1000};

using enum ValueType;

/// Columns with nulls and without, one that the rows lack, a param, literals.
std::vector<Tree> Operands(ValueType type) {
  switch (type) {
    case kInt:
      return {Key("i", kInt),
              Key("j", kInt),
              Key("absent_i", kInt),
              Param("pi", kInt),
              Literal(std::int64_t{-3}),
              NullLiteral()};
    case kFloat:
      return {Key("f", kFloat),    Key("g", kFloat), Key("absent_f", kFloat),
              Param("pf", kFloat), Literal(2.5),     NullLiteral()};
    case kBool:
      return {Key("b", kBool),    Key("c", kBool), Key("absent_b", kBool),
              Param("pb", kBool), Literal(true),   NullLiteral()};
    case kString:
      break;
  }
  return {Key("s", kString),    Key("t", kString),          Key("absent_s", kString),
          Param("ps", kString), Literal(std::string("us")), NullLiteral()};
}

std::vector<Tree> Numbers() {
  std::vector<Tree> numbers = Operands(kInt);
  for (Tree& number : Operands(kFloat)) numbers.push_back(std::move(number));
  return numbers;
}

/// One of each kind, for the right side: column, full column, param, literal, null.
std::vector<Tree> FewNumbers() {
  return {Key("i", kInt), Key("g", kFloat), Param("pi", kInt), Literal(2.5), NullLiteral()};
}

/// Every operator and function, with operands of every kind on every side.
class Catalog {
 public:
  Catalog() {
    Arithmetic();
    NumericFunctions();
    Comparisons();
    Logic();
    OfAnyType();
    Strings();
  }
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  void Unary(const std::string& op, const std::vector<Tree>& operands) {
    for (const Tree& a : operands) trees_.push_back(Node(op, {a}));
  }
  void Binary(const std::string& op, const std::vector<Tree>& left,
              const std::vector<Tree>& right) {
    for (const Tree& a : left) {
      for (const Tree& b : right) trees_.push_back(Node(op, {a, b}));
    }
  }

  void Arithmetic() {
    for (const char* op : {"+", "-", "*", "/", "%", "min", "max", "pow"}) {
      Binary(op, Numbers(), FewNumbers());
      Binary(op, FewNumbers(), Operands(kInt));
    }
  }
  void NumericFunctions() {
    for (const char* op :
         {"neg", "abs", "floor", "ceil", "round", "sqrt", "exp", "log", "log1p", "sigmoid"}) {
      Unary(op, Numbers());
    }
    for (const ValueType type : {kInt, kFloat}) {
      for (const Tree& a : Operands(type)) {
        for (const Tree& b : Operands(type)) {
          for (const char* op : {"clamp", "min", "max"}) {
            trees_.push_back(Node(op, {a, b, Literal(std::int64_t{4})}));
            trees_.push_back(Node(op, {Key("f", kFloat), a, b}));
            trees_.push_back(Node(op, {a, Key("i", kInt), b}));
          }
        }
      }
    }
  }
  void Comparisons() {
    for (const char* op : {"==", "!=", "<", "<=", ">", ">="}) {
      Binary(op, Numbers(), FewNumbers());
      Binary(op, FewNumbers(), Operands(kInt));
      Binary(op, Operands(kString), Operands(kString));
    }
    for (const char* op : {"==", "!="}) Binary(op, Operands(kBool), Operands(kBool));
  }
  void Logic() {
    Unary("!", Operands(kBool));
    for (const char* op : {"&&", "||"}) Binary(op, Operands(kBool), Operands(kBool));
  }
  void OfAnyType() {
    for (const ValueType type : {kInt, kFloat, kBool, kString}) {
      const std::vector<Tree> operands = Operands(type);
      for (const char* op : {"is_null", "not_null", "text", "coalesce"}) Unary(op, operands);
      for (const Tree& a : operands) {
        for (const Tree& b : operands) {
          trees_.push_back(Node("coalesce", {a, b}));
          trees_.push_back(Node("coalesce", {a, operands[2], b}));
          trees_.push_back(Node("if", {Key("b", kBool), a, b}));
          trees_.push_back(Node("if", {Param("pb", kBool), a, b}));
        }
      }
      for (const Tree& condition : Operands(kBool)) {
        trees_.push_back(Node("if", {condition, operands[0], operands[1]}));
      }
      Lists(type, operands);
    }
    for (const Tree& a : Operands(kInt)) {
      for (const Tree& b : Operands(kFloat)) {
        trees_.push_back(Node("coalesce", {a, b}));
        trees_.push_back(Node("if", {Key("b", kBool), b, a}));
      }
    }
  }
  void Lists(ValueType type, const std::vector<Tree>& operands) {
    // A few items are compared one by one, many are looked up.
    std::vector<Value> few;
    std::vector<Value> many;
    for (std::int64_t n = -20; n < 20; ++n) {
      if (type == kInt) many.emplace_back(n);
      if (type == kFloat) many.emplace_back(static_cast<double>(n) / 2);
      if (type == kString) many.emplace_back(n % 3 == 0 ? "US" : std::to_string(n));
    }
    if (type == kBool) many = {true};
    few = {many.front(), Value()};
    many.push_back(Value());
    for (const Tree& operand : operands) {
      trees_.push_back(In(operand, {}));
      trees_.push_back(In(operand, few));
      trees_.push_back(In(operand, many));
    }
    if (type == kInt) trees_.push_back(In(Key("i", kInt), {Value(0.5), Value(3.0), Value(1e19)}));
    if (type == kFloat) trees_.push_back(In(Key("f", kFloat), {Value(std::int64_t{3})}));
  }
  void Strings() {
    const std::vector<Tree> strings = Operands(kString);
    for (const char* op : {"lower", "len", "concat"}) Unary(op, strings);
    for (const char* op : {"starts_with", "ends_with", "contains", "concat"}) {
      Binary(op, strings, strings);
    }
    for (const Tree& a : strings) {
      trees_.push_back(Node("concat", {a, strings[0], strings[1]}));
      trees_.push_back(Node("regex", {a, Param("ps", kString)}));
      for (const char* pattern : {"^a", "s$", "^$", "é"}) {
        trees_.push_back(Node("regex", {a, Literal(std::string(pattern))}));
        trees_.push_back(
            Node("regex", {a, Literal(std::string(pattern)), Literal(std::string("i"))}));
      }
      // Strings of the block at work, not of a column.
      const Tree made = Node("concat", {a, Literal(std::string("US"))});
      trees_.push_back(Node("lower", {made}));
      trees_.push_back(Node("==", {made, strings[1]}));
      trees_.push_back(Node("regex", {made, Literal(std::string("US$"))}));
    }
  }

  std::vector<Tree> trees_;
};

/// How the nulls of the columns lie.
enum class Nulls : std::uint8_t { kNone, kSome, kAll, kAtWordEnds };

RowSet RowsWith(Nulls nulls, std::size_t count, std::mt19937& random) {
  const RowSet drawn = RandomRows(random, count);
  if (nulls == Nulls::kSome) return drawn;
  std::vector<std::pair<std::string, std::vector<Value>>> columns;
  // Those of the second name of each pair have no nulls.
  const std::pair<const char*, const char*> pairs[] = {
      {"i", "j"}, {"f", "g"}, {"b", "c"}, {"s", "t"}};
  for (const auto& [nullable, full] : pairs) {
    std::vector<Value> values = ValuesOf(*drawn.Find(KeyNamed(full)));
    columns.emplace_back(full, values);
    std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count / 3),
                values.end());
    for (std::size_t row = 0; row < count; ++row) {
      const bool at_word_end = row % 64 == 63 || row % 64 == 0 || row + 1 == count;
      if (nulls == Nulls::kAll || (nulls == Nulls::kAtWordEnds && at_word_end)) values[row] = {};
    }
    columns.emplace_back(nullable, values);
  }
  return Rows(std::move(columns));
}

/// Rows with their values looked up once.
struct Sample {
  explicit Sample(RowSet all) : rows(std::move(all)) {
    for (const char* name : {"i", "j", "f", "g", "b", "c", "s", "t"}) {
      const Column& column = *rows.Find(KeyNamed(name));
      std::vector<Value>& of_key = values[name];
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        of_key.push_back(column.At(rows.BaseRow(row)));
      }
    }
  }
  Value At(const std::string& name, std::size_t row) const {
    const auto found = values.find(name);
    return found == values.end() ? Value() : found->second[row];
  }

  RowSet rows;
  std::map<std::string, std::vector<Value>> values;
};

/// Empty when the column of the tree over `rows` is what the reference says of each row.
std::string Difference(const Tree& tree, const BoundExpression& bound, const Sample& sample,
                       const ParamValues& params) {
  const RowSet& rows = sample.rows;
  const Result<ColumnRef> column = bound.EvaluateColumn(rows, StopToken());
  if (!column || (*column)->size() != rows.rows()) return "no column of the right length";
  Selection wanted_kept;
  std::size_t row = 0;
  const Names names = [&](const std::string& name) {
    return name.starts_with("P.") ? params.Get(ParamNamed(name.substr(2))) : sample.At(name, row);
  };
  for (; row < rows.rows(); ++row) {
    const Value wanted = Reference(tree, names);
    const Value got = (*column)->At(row);
    if (!SameValue(got, wanted)) {
      return "row " + std::to_string(row) + ": " + Show(got) + ", not " + Show(wanted);
    }
    if (wanted == Value(true)) wanted_kept.push_back(rows.BaseRow(row));
  }
  if (tree.type != kBool) return "";
  const Result<Selection> kept = bound.EvaluateFilter(rows, StopToken());
  return kept && *kept == wanted_kept ? "" : "the filter keeps other rows";
}

TEST_CASE("the catalog holds every function there is") {
  const Catalog catalog;
  std::set<std::string> ops;
  for (const Tree& tree : catalog.trees()) ops.insert(tree.op);
  for (const FunctionSpec& spec : Functions()) {
    CAPTURE(spec.name);
    CHECK((IsAggregate(spec.function) || ops.contains(std::string(spec.name))));
  }
}

TEST_CASE("every operator and function gives columns what it gives rows, at every length") {
  std::mt19937 random(7);
  const ParamValues params =
      Params({{"pi", std::int64_t{3}}, {"pf", -2.5}, {"pb", true}, {"ps", std::string("US")}});
  std::vector<RowSet> row_sets;
  for (const std::size_t length : kLengths) {
    row_sets.push_back(RowsWith(Nulls::kSome, length, random));
    CHECK(row_sets.back().rows() == length);
    if (length == 1000) continue;
    // The other ways in turn: neighbours of a boundary get all of them between them.
    constexpr Nulls kOthers[] = {Nulls::kAtWordEnds, Nulls::kNone, Nulls::kAll};
    row_sets.push_back(RowsWith(kOthers[row_sets.size() / 2 % 3], length, random));
    if (length % 2 == 0) row_sets.back() = RandomSelection(random, row_sets.back());
  }
  const std::vector<Sample> samples(row_sets.begin(), row_sets.end());
  const Catalog catalog;
  std::size_t offset = 0;
  for (const Tree& tree : catalog.trees()) {
    const std::string text = ToText(tree);
    const BoundExpression bound = BindOk(CompileOk(text, RowScope()), params);
    for (std::size_t i = offset++ % kStride; i < samples.size(); i += kStride) {
      const Sample& sample = samples[i];
      const std::string difference = Difference(tree, bound, sample, params);
      if (difference.empty()) continue;
      FAIL_CHECK(text, " over ", sample.rows.rows(), " rows: ", difference);
      break;
    }
  }
}

}  // namespace
}  // namespace rankd::test
