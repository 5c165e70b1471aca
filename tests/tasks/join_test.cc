#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

constexpr std::string_view kLeft =
    R"([{"id":5,"score":0.1},{"id":3,"score":null},{"id":9,"score":0.2},{"id":5,"score":-1.0}])";
constexpr std::string_view kRight = R"([{"id":5,"n":50},{"id":9,"n":null},{"id":77,"n":0}])";

std::string Join(std::string_view params, const RowSet& left, const RowSet& right) {
  return OneTask("join", params, 2).Text({left, right});
}

TEST_CASE("join brings keys from the row with the same value") {
  const RowSet left = MakeRows(kLeft);
  const RowSet right = MakeRows(kRight);
  CHECK(Join(R"({"how":"inner","select":["n"]})", left, right) ==
        "5 score=0.1 n=50 | 9 score=0.2 n=null | 5 score=-1.0 n=50");
  CHECK(Join(R"({"how":"left","select":["n"]})", left, right) ==
        "5 score=0.1 n=50 | 3 score=null n=null | 9 score=0.2 n=null | 5 score=-1.0 n=50");
  CHECK(Join(R"({"how":"inner"})", left, right) == "5 score=0.1 | 9 score=0.2 | 5 score=-1.0");
  CHECK(Join(R"({"how":"left"})", left, right) == Show(left));
  CHECK(Join(R"({"how":"semi"})", left, right) == "5 score=0.1 | 9 score=0.2 | 5 score=-1.0");
  CHECK(Join(R"({"how":"anti"})", left, right) == "3 score=null");
}

TEST_CASE("join follows the selections of both sides") {
  const RowSet left = Select(MakeRows(kLeft), {3, 0, 1, 3});
  const RowSet right = Select(MakeRows(kRight), {2, 0});
  CHECK(Join(R"({"how":"inner","select":["n"]})", left, right) ==
        "5 score=-1.0 n=50 | 5 score=0.1 n=50 | 5 score=-1.0 n=50");
  CHECK(Join(R"({"how":"left","select":["n"]})", left, Select(right, {})) ==
        "5 score=-1.0 n=null | 5 score=0.1 n=null | 3 score=null n=null | 5 score=-1.0 n=null");
}

TEST_CASE("join fills left rows without match with the default") {
  const RowSet left = MakeRows(R"([{"id":1},{"id":2}])");
  CHECK(Join(R"({"how":"left","select":["final_score","s2"]})", left,
             MakeRows(R"([{"id":2,"final_score":9.0,"s2":"two"}])")) ==
        "1 final_score=0.5 s2=\"none\" | 2 final_score=9.0 s2=\"two\"");
  CHECK(Join(R"({"how":"left","select":["s2"]})", left, MakeRows(R"([{"id":2,"s2":"none"}])")) ==
        "1 s2=\"none\" | 2 s2=\"none\"");
  CHECK(Join(R"({"how":"inner","select":["s2","final_score"]})", left, MakeRows(R"([{"id":2}])")) ==
        "2 final_score=0.5 s2=\"none\"");
}

TEST_CASE("join names the row where a key that may not be null lacks a value") {
  const RowSet left = MakeRows(R"([{"id":1},{"id":2}])");
  const std::string text =
      Join(R"({"how":"left","select":["must"]})", left, MakeRows(R"([{"id":1,"must":7}])"));
  CHECK(text.starts_with("null_value: "));
  CHECK(text.find("must") != std::string::npos);
  CHECK(text.find("id 2") != std::string::npos);
  CHECK(Join(R"({"how":"left","select":["must"]})", left,
             MakeRows(R"([{"id":1,"must":7},{"id":2,"must":8}])")) == "1 must=7 | 2 must=8");
  CHECK(Join(R"({"how":"inner","select":["must"]})", left, MakeRows(R"([{"id":9}])")) == "");
}

TEST_CASE("join matches strings of two dictionaries by their bytes") {
  const RowSet left = MakeRows(R"([{"id":1,"country":"US"},{"id":2,"country":null},)"
                               R"({"id":3,"country":"CA"},{"id":4,"country":"US"}])");
  const RowSet right = MakeRows(R"([{"id":10,"country":"DE","n":1},{"id":11,"country":null,"n":2},)"
                                R"({"id":12,"country":"US","n":3}])");
  CHECK(Join(R"({"how":"left","on":"country","select":["n"]})", left, right) ==
        "1 n=3 country=\"US\" | 2 n=null country=null | 3 n=null country=\"CA\" | "
        "4 n=3 country=\"US\"");
  // What the right dictionary has but no right row uses matches nothing.
  CHECK(Join(R"({"how":"semi","on":"country"})", left, Select(right, {0, 1})) == "");
}

TEST_CASE("join refuses a repeated value on the right, for inner and left") {
  const RowSet left = MakeRows(R"([{"id":1,"country":"US"}])");
  const RowSet right = MakeRows(R"([{"id":1,"country":null},{"id":2,"country":"DE"},)"
                                R"({"id":3,"country":null},{"id":4,"country":"DE"}])");
  for (const std::string_view how : {"inner", "left"}) {
    const std::string text =
        Join(R"({"on":"country","how":")" + std::string(how) + "\"}", left, right);
    CHECK(text.starts_with("duplicate_key: "));
    CHECK(text.find("\"DE\"") != std::string::npos);
  }
  CHECK(Join(R"({"on":"country","how":"semi"})", left, right) == "");
  CHECK(Join(R"({"on":"country","how":"anti"})", left, right) == Show(left));
  CHECK(Join(R"({"how":"inner"})", left, Select(right, {0, 0})).starts_with("duplicate_key: "));
}

TEST_CASE("join on a key that a side does not carry matches nothing") {
  const RowSet left = MakeRows(R"([{"id":1,"n":1}])");
  const RowSet right = MakeRows(R"([{"id":1,"n2":1}])");
  CHECK(Join(R"({"how":"inner","on":"n"})", left, right) == "");
  CHECK(Join(R"({"how":"left","on":"n2","select":["n2"]})", left, right) == "1 n=1 n2=null");
}

TEST_CASE("join refuses to bring what the left carries already") {
  const std::string text = Join(R"({"how":"inner","select":["n"]})",
                                MakeRows(R"([{"id":1,"n":1}])"), MakeRows(R"([{"id":1,"n":1}])"));
  CHECK(text.starts_with("invalid_plan: "));
  CHECK(text.find("\"n\"") != std::string::npos);
  const std::vector<std::string> problems = ProblemsOfNodes(
      R"([{"node_id":"l","op":"fixed_source","params":{"rows":[{"id":1,"n":2}]}},)"
      R"({"node_id":"r","op":"fixed_source","params":{"rows":[{"id":1,"n":2,"n2":3}]}},)"
      R"({"node_id":"j","op":"join","inputs":["l","r"],)"
      R"("params":{"how":"left","select":["n2","n"]}}])",
      R"(["j"])");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].starts_with("/nodes/2/params/select: "));
  CHECK(problems[0].find("\"n\"") != std::string::npos);
}

TEST_CASE("join takes its right input from rhs and refuses what means nothing") {
  const std::string_view sources =
      R"({"node_id":"l","op":"fixed_source","params":{"row_count":1}},)"
      R"({"node_id":"r","op":"fixed_source","params":{"row_count":1}})";
  CHECK(ProblemsOfNodes("[" + std::string(sources) +
                            R"(,{"node_id":"j","op":"join","inputs":["l"],)"
                            R"("params":{"rhs":"r","how":"inner"}}])",
                        R"(["j"])")
            .empty());
  CHECK(ProblemsOf("join", "{}", 2) ==
        std::vector<std::string>{R"(/nodes/0/params: the op "join" needs the param "how")"});
  CHECK(ProblemsOf("join", R"({"how":"semi","select":["n"]})", 2)
            .front()
            .starts_with("/nodes/0/params/select: "));
  CHECK(ProblemsOf("join", R"({"how":"anti","select":[]})", 2).empty());
  CHECK(ProblemsOf("join", R"({"how":"left","select":["id"]})", 2)
            .front()
            .starts_with("/nodes/0/params/select/0: "));
  CHECK(ProblemsOf("join", R"({"how":"left"})", 1).size() == 1);
}

/// Nullopt where a value stands twice on the right.
std::optional<Model> JoinModel(const Model& left, const Model& right, std::string_view how,
                               KeyId on, const std::vector<KeyId>& select) {
  const Schema schema = TestSchema();
  if (how == "inner" || how == "left") {
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Value& value = ValueOf(right[i], on);
        if (!IsNull(value) && SameValue(value, ValueOf(right[j], on))) return std::nullopt;
      }
    }
  }
  Model joined;
  for (ModelRow row : left) {
    const auto match = std::find_if(right.begin(), right.end(), [&](const ModelRow& other) {
      return !IsNull(ValueOf(row, on)) && SameValue(ValueOf(row, on), ValueOf(other, on));
    });
    if (how != "left" && (match == right.end()) != (how == "anti")) continue;
    for (const KeyId key : select) {
      const bool lacks = match == right.end() || !match->contains(key);
      row[key] = lacks ? schema.key(key).default_value : match->at(key);
    }
    joined.push_back(std::move(row));
  }
  return joined;
}

TEST_CASE("join agrees with a nested loop over random rows") {
  Random random(6);
  for (const std::string_view on : {"id", "score", "n", "flag", "country"}) {
    for (const std::string_view how : {"inner", "left", "semi", "anti"}) {
      const bool brings = how == "inner" || how == "left";
      const std::string params = R"({"on":")" + std::string(on) + R"(","how":")" +
                                 std::string(how) +
                                 (brings ? R"(","select":["s2","n2","final_score"]})" : "\"}");
      CAPTURE(params);
      std::vector<KeyId> select;
      if (brings) select = {TestKey("s2"), TestKey("n2"), TestKey("final_score")};
      OneTask join("join", params, 2);
      int joined = 0;
      for (int round = 0; round < 60; ++round) {
        const RowSet left = RandomRows(random, 20, {"score", "n", "flag", "country"});
        const RowSet right =
            RandomRows(random, round % 2 == 0 ? 4 : 12,
                       {"score", "n", "flag", "country", "s2", "n2", "final_score"});
        const std::optional<Model> expected =
            JoinModel(ToModel(left), ToModel(right), how, TestKey(on), select);
        const Result<RowSet> result = join.Run({left, right});
        REQUIRE(result.has_value() == expected.has_value());
        if (result) {
          CHECK(ToModel(*result) == *expected);
          ++joined;
        } else {
          CHECK(result.error().code == ErrorCode::kDuplicateKey);
        }
      }
      CHECK(joined > 10);
    }
  }
}

TEST_CASE("join stops when it is told to") {
  StopFlag flag;
  flag.Request();
  OneTask join("join", R"({"how":"left"})", 2);
  const Result<RowSet> result = join.Run({MakeRows(kLeft), MakeRows(kRight)}, StopToken(flag));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace rankd
