#include "cli/param_flags.h"

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

Schema MakeSchema() {
  Schema schema;
  const auto add = [&](const char* name, ValueType type) {
    ParamSpec spec;
    spec.name = name;
    spec.type = type;
    if (spec.name == "gone") spec.status = EntryStatus::kBlocked;
    schema.AddParam(std::move(spec));
  };
  add("i", ValueType::kInt);
  add("weight", ValueType::kFloat);
  add("b", ValueType::kBool);
  add("s", ValueType::kString);
  add("gone", ValueType::kInt);
  return schema;
}

/// The value `flags` leave in param `name`, or the message of the error as a string.
Value Applied(const std::vector<ParamFlag>& flags, const char* name,
              UnknownParams unknown = UnknownParams::kRefuse) {
  const Schema schema = MakeSchema();
  ParamValues values(schema);
  const Result<void> applied = ApplyParamFlags(flags, schema, unknown, values);
  if (!applied) {
    CHECK(applied.error().code == ErrorCode::kInvalidParam);
    return applied.error().message;
  }
  return values.Get(*schema.FindParam(name));
}

TEST_CASE("a value is read by its param's type") {
  CHECK(Applied({{"i", "-9223372036854775808"}}, "i") ==
        Value(std::numeric_limits<std::int64_t>::min()));
  CHECK(Applied({{"weight", "5"}}, "weight") == Value(5.0));
  CHECK(Applied({{"weight", "-1e-3"}}, "weight") == Value(-0.001));
  CHECK(Applied({{"b", "true"}}, "b") == Value(true));
  CHECK(Applied({{"b", "0"}}, "b") == Value(false));
  CHECK(Applied({{"s", ""}}, "s") == Value(std::string()));
  CHECK(Applied({{"s", "null"}}, "s") == Value(std::string("null")));
  CHECK(Applied({{"s", "é"}}, "s") == Value(std::string("é")));
  CHECK(Applied({}, "s") == Value());
}

TEST_CASE("of a param given twice the last value stands") {
  CHECK(Applied({{"i", "1"}, {"s", "x"}, {"i", "2"}}, "i") == Value(std::int64_t{2}));
}

TEST_CASE("a value of another type is refused") {
  for (const char* bad : {"", "1.5", "1.0", "x", " 1", "+1", "9223372036854775808", "null"}) {
    CAPTURE(bad);
    CHECK(std::get<std::string>(Applied({{"i", bad}}, "i")).starts_with("--param: param \"i\""));
  }
  CHECK(Applied({{"i", "x"}}, "i") ==
        Value(std::string("--param: param \"i\" must be an int, not \"x\"")));
  CHECK(Applied({{"weight", "1e999"}}, "weight") ==
        Value(std::string("--param: param \"weight\" must be a float, not \"1e999\"")));
  for (const char* bad : {"NaN", "0x1", ".5", "1.", "inf", ""}) {
    CAPTURE(bad);
    CHECK(std::get<std::string>(Applied({{"weight", bad}}, "weight")).starts_with("--param: "));
  }
  for (const char* bad : {"True", "yes", "", "2"}) {
    CAPTURE(bad);
    CHECK(std::get<std::string>(Applied({{"b", bad}}, "b")).starts_with("--param: "));
  }
  CHECK(std::get<std::string>(Applied({{"s", "\xFF"}}, "s")).starts_with("--param: param \"s\""));
}

TEST_CASE("an unknown param is refused with the nearest one, or ignored") {
  CHECK(Applied({{"wieght", "1"}}, "i") ==
        Value(std::string("--param: unknown param \"wieght\", did you mean \"weight\"?")));
  CHECK(Applied({{"wieght", "1"}, {"i", "7"}}, "i", UnknownParams::kIgnore) ==
        Value(std::int64_t{7}));
}

TEST_CASE("a blocked param is refused") {
  CHECK(Applied({{"gone", "1"}}, "i") == Value(std::string("--param: param \"gone\" is blocked")));
}

}  // namespace
}  // namespace rankd
