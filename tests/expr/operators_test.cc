// Every operator and function at awkward lengths, with and without nulls and selection.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/expr/reference.h"
#include "tests/expr/support.h"

namespace rankd::test {
namespace {

Tree IntKey(const char* name) { return Key(name, ValueType::kInt); }
Tree FloatKey(const char* name) { return Key(name, ValueType::kFloat); }
Tree BoolKey(const char* name) { return Key(name, ValueType::kBool); }
Tree StringKey(const char* name) { return Key(name, ValueType::kString); }
Tree Int(std::int64_t value) { return Literal(value); }
Tree Str(const char* value) { return Literal(std::string(value)); }

/// Each numeric operation over every pair of operand shapes: column with nulls, without, literal,
/// key that is not carried.
void AddNumeric(std::vector<Tree>& trees) {
  const std::vector<Tree> numbers = {
      IntKey("i"),  IntKey("j"),  FloatKey("f"),        FloatKey("g"),      Int(3),       Int(-1),
      Literal(0.0), Literal(2.5), FloatKey("absent_f"), IntKey("absent_i"), NullLiteral()};
  for (const Tree& a : numbers) {
    for (const char* op :
         {"neg", "abs", "floor", "ceil", "round", "sqrt", "exp", "log", "log1p", "sigmoid"}) {
      trees.push_back(Node(op, {a}));
    }
    for (const Tree& b : numbers) {
      for (const char* op : {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "min",
                             "max", "pow", "coalesce"}) {
        trees.push_back(Node(op, {a, b}));
      }
      trees.push_back(Node("if", {BoolKey("b"), a, b}));
      trees.push_back(Node("clamp", {IntKey("i"), a, b}));
      trees.push_back(Node("clamp", {a, FloatKey("g"), b}));
      trees.push_back(Node("max", {a, b, IntKey("j")}));
    }
  }
}

void AddLogic(std::vector<Tree>& trees) {
  const std::vector<Tree> bools = {BoolKey("b"),   BoolKey("c"),        Literal(true),
                                   Literal(false), BoolKey("absent_b"), NullLiteral()};
  for (const Tree& a : bools) {
    for (const char* op : {"!", "is_null", "not_null", "text"}) trees.push_back(Node(op, {a}));
    for (const Tree& b : bools) {
      for (const char* op : {"&&", "||", "==", "!=", "coalesce"}) trees.push_back(Node(op, {a, b}));
      trees.push_back(Node("if", {a, b, BoolKey("c")}));
      trees.push_back(Node("if", {a, IntKey("i"), FloatKey("g")}));
      trees.push_back(Node("if", {a, StringKey("s"), StringKey("t")}));
    }
  }
  const std::vector<Value> numbers = {
      std::int64_t{0}, 2.5, std::int64_t{-7}, 1.0, Value(), std::int64_t{9007199254740993}};
  const std::vector<Value> many = {
      std::int64_t{0},  std::int64_t{2}, std::int64_t{3}, 0.5,
      std::int64_t{4},  std::int64_t{5}, std::int64_t{6}, 1e308,
      std::int64_t{64}, std::int64_t{8}, std::int64_t{9}, 9007199254740992.0};
  for (const char* key : {"i", "j", "absent_i"}) {
    trees.push_back(In(IntKey(key), numbers));
    trees.push_back(In(IntKey(key), many));
    trees.push_back(In(IntKey(key), {}));
  }
  for (const char* key : {"f", "g"}) {
    trees.push_back(In(FloatKey(key), numbers));
    trees.push_back(In(FloatKey(key), many));
  }
  trees.push_back(In(BoolKey("b"), {true}));
  trees.push_back(In(BoolKey("c"), {false, Value()}));
  trees.push_back(In(NullLiteral(), {std::int64_t{1}, Value()}));
}

void AddStrings(std::vector<Tree>& trees) {
  const std::vector<Tree> strings = {
      StringKey("s"),        StringKey("t"), Str("US"),     Str(""),
      StringKey("absent_s"), Str("été"),     NullLiteral(), Node("lower", {StringKey("s")})};
  for (const Tree& a : strings) {
    for (const char* op : {"lower", "len", "text", "is_null", "not_null", "concat"}) {
      trees.push_back(Node(op, {a}));
    }
    trees.push_back(Node("regex", {a, Str("^[au]"), Str("i")}));
    trees.push_back(Node("regex", {a, Str("s$")}));
    trees.push_back(In(a, {std::string("US"), std::string(), Value()}));
    for (const Tree& b : strings) {
      for (const char* op : {"==", "!=", "<", "<=", ">", ">=", "starts_with", "ends_with",
                             "contains", "concat", "coalesce"}) {
        trees.push_back(Node(op, {a, b}));
      }
      trees.push_back(Node("if", {BoolKey("b"), a, b}));
      trees.push_back(Node("concat", {a, Node("text", {IntKey("i")}), b}));
    }
  }
  trees.push_back(Node("text", {FloatKey("f")}));
  trees.push_back(Node("text", {FloatKey("g")}));
  trees.push_back(Node("text", {IntKey("j")}));
}

void Check(const Tree& tree, const RowSet& rows) {
  const std::string text = ToText(tree);
  const std::vector<Value> got = ColumnOf(text, rows);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const Value wanted = Reference(tree, [&](const std::string& name) -> Value {
      const Column* column = rows.Find(KeyNamed(name));
      return column == nullptr ? Value() : column->At(rows.BaseRow(row));
    });
    if (!SameValue(got[row], wanted)) {
      FAIL(text, "\nrow ", row, " of ", rows.rows(), ": ", Show(got[row]), ", not ", Show(wanted));
    }
  }
}

void CheckAll(const std::vector<Tree>& trees) {
  std::mt19937 random(7);
  std::size_t offset = 0;
  const auto check_over = [&](const RowSet& rows) {
    for (std::size_t i = offset++ % kStride; i < trees.size(); i += kStride) Check(trees[i], rows);
  };
  for (const std::size_t length : {0U, 1U, 7U, 8U, 63U, 64U, 65U, 127U, 128U, 129U}) {
    const RowSet rows = RandomRows(random, length);
    check_over(rows);
    if (length == 0) continue;
    check_over(RandomSelection(random, rows));
  }
  // The long ones take every tree once, one length or the other.
  const std::size_t lengths[] = {1000, 1024, 1025, 5000};
  std::vector<RowSet> rows;
  for (const std::size_t length : lengths) {
    rows.push_back(RandomRows(random, length));
    rows.push_back(RandomSelection(random, rows.back()));
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < trees.size(); i += 3) Check(trees[i], rows[next++ % rows.size()]);
}

TEST_CASE("numeric operators and functions agree with the reference at every length") {
  std::vector<Tree> trees;
  AddNumeric(trees);
  CheckAll(trees);
}

TEST_CASE("logic, choices and lists agree with the reference at every length") {
  std::vector<Tree> trees;
  AddLogic(trees);
  CheckAll(trees);
}

TEST_CASE("string operators and functions agree with the reference at every length") {
  std::vector<Tree> trees;
  AddStrings(trees);
  CheckAll(trees);
}

}  // namespace
}  // namespace rankd::test
