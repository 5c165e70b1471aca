#include "tests/expr/random_tree.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rankd::test {
namespace {

class Generator {
 public:
  explicit Generator(RandomNumbers random) : random_(std::move(random)) {}

  Tree Make(ValueType type, int depth) {
    if (One(25)) return NullLiteral();
    if (depth <= 0 || One(6)) return Leaf(type);
    switch (type) {
      case ValueType::kInt:
        return Int(depth - 1);
      case ValueType::kFloat:
        return Float(depth - 1);
      case ValueType::kBool:
        return Bool(depth - 1);
      case ValueType::kString:
        break;
    }
    return String(depth - 1);
  }

 private:
  bool One(unsigned in) { return random_() % in == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }
  std::string Pick(std::initializer_list<const char*> from) {
    return from.begin()[random_() % from.size()];
  }
  ValueType AnyType() { return static_cast<ValueType>(random_() % 4); }
  ValueType Number() { return One(2) ? ValueType::kInt : ValueType::kFloat; }

  Value LiteralOf(ValueType type) {
    static const std::vector<std::int64_t> ints = {0,
                                                   1,
                                                   -1,
                                                   2,
                                                   3,
                                                   7,
                                                   -8,
                                                   64,
                                                   1000,
                                                   1LL << 53,
                                                   std::numeric_limits<std::int64_t>::max(),
                                                   std::numeric_limits<std::int64_t>::min()};
    static const std::vector<double> floats = {0.0, 0.5, -0.5, 1.0, 2.5, -3.0, 1e16, 1e300, 0.1};
    static const std::vector<std::string> strings = {"", "US", "a", "Abc", "été", "x\"y\\\n"};
    switch (type) {
      case ValueType::kInt:
        return Pick(ints);
      case ValueType::kFloat:
        return Pick(floats);
      case ValueType::kBool:
        return One(2);
      case ValueType::kString:
        break;
    }
    return Pick(strings);
  }

  Tree Leaf(ValueType type) {
    if (One(4)) return Literal(LiteralOf(type));
    const std::size_t which = random_() % 5;
    static const char* const names[4][5] = {{"i", "j", "absent_i", "pi", "id"},
                                            {"f", "g", "absent_f", "pf", "f"},
                                            {"b", "c", "absent_b", "pb", "c"},
                                            {"s", "t", "absent_s", "ps", "s"}};
    const std::string name = names[static_cast<std::size_t>(type)][which];
    return which == 3 ? Param(name, type) : Key(name, type);
  }

  /// What any type has: if, coalesce.
  Tree Choice(ValueType type, int depth) {
    if (One(2)) {
      return Node("if", {Make(ValueType::kBool, depth), Make(type, depth), Make(type, depth)});
    }
    std::vector<Tree> kids;
    do kids.push_back(Make(type, depth));
    while (kids.size() < 4 && !One(3));
    return Node("coalesce", std::move(kids));
  }

  Tree Int(int depth) {
    const auto number = [&] { return Make(ValueType::kInt, depth); };
    switch (random_() % 8) {
      case 0:
        return Choice(ValueType::kInt, depth);
      case 1:
        return Node(Pick({"neg", "abs"}), {number()});
      case 2:
        return Node(Pick({"floor", "ceil", "round"}), {Make(Number(), depth)});
      case 3:
        return Node("len", {Make(ValueType::kString, depth)});
      case 4:
        return Node(Pick({"min", "max"}), {number(), number(), number()});
      case 5:
        return Node("clamp", {number(), number(), number()});
      default:
        return Node(Pick({"+", "-", "*", "%"}), {number(), number()});
    }
  }

  Tree Float(int depth) {
    const auto number = [&] { return Make(Number(), depth); };
    switch (random_() % 9) {
      case 0:
        return Choice(Number(), depth);
      case 1:
        return Node(Pick({"neg", "abs"}), {number()});
      case 2:
        return Node(Pick({"sqrt", "exp", "log", "log1p", "sigmoid"}), {number()});
      case 3:
        return Node("pow", {number(), number()});
      case 4:
        return Node(Pick({"min", "max"}), {number(), number()});
      case 5:
        return Node("clamp", {number(), number(), number()});
      default:
        return Node(Pick({"+", "-", "*", "/", "%"}), {number(), number()});
    }
  }

  Tree Bool(int depth) {
    const auto boolean = [&] { return Make(ValueType::kBool, depth); };
    const auto string = [&] { return Make(ValueType::kString, depth); };
    switch (random_() % 10) {
      case 0:
        return Choice(ValueType::kBool, depth);
      case 1:
        return Node("!", {boolean()});
      case 2:
        return Node(Pick({"&&", "||"}), {boolean(), boolean()});
      case 3:
        return Node(Pick({"is_null", "not_null"}), {Make(AnyType(), depth)});
      case 4:
        return Node(Pick({"starts_with", "ends_with", "contains"}), {string(), string()});
      case 5:
        return Regex(depth);
      case 6:
        return List(depth);
      case 7:
        return Node(Pick({"==", "!="}), {boolean(), boolean()});
      case 8:
        return Node(Pick({"==", "!=", "<", "<=", ">", ">="}), {string(), string()});
      default:
        return Node(Pick({"==", "!=", "<", "<=", ">", ">="}),
                    {Make(Number(), depth), Make(Number(), depth)});
    }
  }

  Tree Regex(int depth) {
    std::vector<Tree> kids = {Make(ValueType::kString, depth),
                              Literal(Pick({"^a", "b", "^$", "é", "[A-Z]{2}", "u.?s?"}))};
    if (One(2)) kids.push_back(Literal(Pick({"", "i"})));
    return Node("regex", std::move(kids));
  }

  Tree List(int depth) {
    const ValueType type = AnyType();
    const bool number = type == ValueType::kInt || type == ValueType::kFloat;
    std::vector<Value> list(random_() % (One(3) ? 30 : 4));
    for (Value& item : list) {
      if (!One(10)) item = LiteralOf(number ? Number() : type);
    }
    return In(Make(type, depth), std::move(list));
  }

  Tree String(int depth) {
    switch (random_() % 5) {
      case 0:
        return Choice(ValueType::kString, depth);
      case 1:
        return Node("lower", {Make(ValueType::kString, depth)});
      case 2:
        return Node("text", {Make(AnyType(), depth)});
      default: {
        std::vector<Tree> kids;
        do kids.push_back(Make(ValueType::kString, depth));
        while (kids.size() < 3 && !One(3));
        return Node("concat", std::move(kids));
      }
    }
  }

  RandomNumbers random_;
};

}  // namespace

Tree RandomTree(RandomNumbers random, ValueType type, int depth) {
  return Generator(std::move(random)).Make(type, depth);
}

Tree RandomTree(std::mt19937& random, ValueType type, int depth) {
  return RandomTree([&random] { return static_cast<std::uint32_t>(random()); }, type, depth);
}

}  // namespace rankd::test
