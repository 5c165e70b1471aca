#include "engine/data/schema.h"

#include <doctest/doctest.h>

namespace rankd {
namespace {

TEST_CASE("the key id is there from the start and is never written") {
  const Schema schema;
  REQUIRE(schema.FindKey("id") == kIdKey);
  CHECK_FALSE(schema.key(kIdKey).allow_write);
  CHECK_FALSE(schema.key(kIdKey).nullable);
}

TEST_CASE("entries are found by name and by registry id") {
  Schema schema;
  KeySpec spec;
  spec.name = "score";
  spec.type = ValueType::kFloat;
  spec.registry_id = 2001;
  const KeyId score = schema.AddKey(spec);
  CHECK(schema.FindKey("score") == score);
  CHECK(schema.FindKey(2001) == score);
  CHECK_FALSE(schema.FindKey("scor").has_value());
  CHECK_FALSE(schema.FindKey(2002).has_value());
  spec.nullable = false;
  schema.SetKey(score, spec);
  CHECK_FALSE(schema.key(score).nullable);
}

TEST_CASE("params start at their defaults") {
  Schema schema;
  ParamSpec limit;
  limit.name = "limit";
  limit.default_value = std::int64_t{3};
  ParamSpec weight;
  weight.name = "weight";
  weight.type = ValueType::kFloat;
  const ParamId limit_id = schema.AddParam(limit);
  const ParamId weight_id = schema.AddParam(weight);
  ParamValues values(schema);
  CHECK(values.Get(limit_id) == Value(std::int64_t{3}));
  CHECK(IsNull(values.Get(weight_id)));
  values.Set(limit_id, {});
  CHECK(IsNull(values.Get(limit_id)));
}

}  // namespace
}  // namespace rankd
