#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

constexpr std::string_view kVotes =
    R"([{"id":5,"n":1,"country":"US"},{"id":3,"n":null,"country":null},)"
    R"({"id":9,"n":4,"country":"US"},{"id":1,"n":6,"country":null}])";

TEST_CASE("aggregate without by gives one row, whatever the rows") {
  OneTask aggregate("aggregate", R"j({"out":{"n":"sum(n)","n2":"count()","score":"mean(n)"}})j");
  CHECK(aggregate.Text({MakeRows(kVotes)}) == "0 score=3.6666666666666665 n=11 n2=4");
  CHECK(aggregate.Text({RowSet()}) == "0 score=null n=0 n2=0");
  CHECK(aggregate.Text({Select(MakeRows(kVotes), {2, 2})}) == "0 score=4.0 n=8 n2=2");
}

TEST_CASE("aggregate by a key gives one row a group in order of first appearance") {
  OneTask aggregate("aggregate", R"j({"out":{"n":"sum(n)","n2":"count()"},"by":"country"})j");
  CHECK(aggregate.Text({MakeRows(kVotes)}) ==
        "0 n=5 country=\"US\" n2=2 | 1 n=6 country=null n2=2");
  CHECK(aggregate.Text({Select(MakeRows(kVotes), {3, 2})}) ==
        "0 n=6 country=null n2=1 | 1 n=4 country=\"US\" n2=1");
}

TEST_CASE("aggregate by a key of no rows gives no rows that carry the keys") {
  OneTask aggregate("aggregate", R"j({"out":{"n":"sum(n)"},"by":"country"})j");
  const Result<RowSet> result = aggregate.Run({RowSet()});
  REQUIRE(result.has_value());
  CHECK(result->rows() == 0);
  CHECK(ShowKeys(*result) == "id,n,country");
}

TEST_CASE("aggregate by a key the rows do not carry has one group") {
  OneTask aggregate("aggregate", R"j({"out":{"n2":"count()"},"by":"title"})j");
  CHECK(aggregate.Text({MakeRows(kVotes)}) == "0 title=null n2=4");
}

TEST_CASE("aggregate refuses a null that a key forbids") {
  const std::string text =
      OneTask("aggregate", R"j({"out":{"must":"highest(n)"}})j").Text({RowSet()});
  CHECK(text.starts_with("null_value: "));
  CHECK(text.find("must") != std::string::npos);
  CHECK(OneTask("aggregate", R"j({"out":{"must":"highest(n)"},"by":"country"})j")
            .Text({Select(MakeRows(kVotes), {0, 1})})
            .find("id 1") != std::string::npos);
  CHECK(OneTask("aggregate", R"j({"out":{"n":"count()"},"by":"must"})j")
            .Text({MakeRows(kVotes)})
            .starts_with("null_value: "));
}

TEST_CASE("aggregate takes keys by registry id, params and no aggregates at all") {
  OneTask aggregate("aggregate", R"({"out":{"1002":"P.limit","title":"'x'"}})");
  CHECK(aggregate.Text({RowSet()}) == "0 n=3 title=\"x\"");
  CHECK(OneTask("aggregate", R"({"out":{},"by":"country"})").Text({MakeRows(kVotes)}) ==
        "0 country=\"US\" | 1 country=null");
  CHECK(OneTask("aggregate", R"({"out":{"n":null}})").Text({MakeRows(kVotes)}) == "0");
}

TEST_CASE("aggregate refuses broken params, each where it stands") {
  CHECK(ProblemsOf("aggregate", "{}") ==
        std::vector<std::string>{R"(/nodes/0/params: the op "aggregate" needs the param "out")"});
  const std::vector<std::string> problems = ProblemsOf(
      "aggregate", R"j({"out":{"nn":"count()","id":"count()","kept":"1","title":"count()",)j"
                   R"j("n":"n","country":"'x'","1002":"1"},"by":"country"})j");
  REQUIRE(problems.size() == 6);
  CHECK(problems[0].starts_with("/nodes/0/params/out/nn: unknown key \"nn\", did you mean"));
  CHECK(problems[1].starts_with("/nodes/0/params/out/id: "));
  CHECK(problems[2].starts_with("/nodes/0/params/out/kept: "));
  CHECK(problems[3].starts_with("/nodes/0/params/out/title: "));
  CHECK(problems[4].starts_with("/nodes/0/params/out/n: "));
  CHECK(problems[5].starts_with("/nodes/0/params/out/country: "));
  CHECK(ProblemsOf("aggregate", R"({"out":{"n":"1","1002":"2"}})")
            .front()
            .starts_with("/nodes/0/params/out/1002: "));
  CHECK(ProblemsOf("aggregate", R"({"out":{},"by":"id"})")
            .front()
            .starts_with("/nodes/0/params/by: "));
  CHECK(ProblemsOf("aggregate", R"({"out":["n"]})").front().starts_with("/nodes/0/params/out: "));
}

struct ModelGroup {
  Value by;
  std::int64_t count = 0;
  Value highest;
  Value last;
};

std::vector<ModelGroup> GroupModel(const Model& rows, KeyId by) {
  std::vector<ModelGroup> groups;
  for (const ModelRow& row : rows) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ModelGroup& other) {
      return SameValue(other.by, ValueOf(row, by));
    });
    if (group == groups.end()) {
      groups.push_back({ValueOf(row, by), 0, Value(), Value()});
      group = groups.end() - 1;
    }
    ++group->count;
    group->last = ValueOf(row, TestKey("id"));
    if (ValueLess(group->highest, ValueOf(row, TestKey("n")))) {
      group->highest = ValueOf(row, TestKey("n"));
    }
  }
  return groups;
}

TEST_CASE("aggregate agrees with groups made row by row of random rows") {
  Random random(7);
  for (const std::string_view by : {"score", "flag", "country", "title", "age"}) {
    CAPTURE(by);
    OneTask aggregate("aggregate",
                      R"j({"out":{"n2":"count()","n":"highest(n)","must":"last(id)"},"by":")j" +
                          std::string(by) + "\"}");
    for (int round = 0; round < 40; ++round) {
      const RowSet rows = RandomRows(random, 40, {"score", "n", "flag", "country", "title", "age"});
      const Result<RowSet> result = aggregate.Run({rows});
      REQUIRE(result.has_value());
      const std::vector<ModelGroup> groups = GroupModel(ToModel(rows), TestKey(by));
      const Model model = ToModel(*result);
      REQUIRE(model.size() == groups.size());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        CHECK(ValueOf(model[i], kIdKey) == Value(static_cast<std::int64_t>(i)));
        CHECK(SameValue(ValueOf(model[i], TestKey(by)), groups[i].by));
        CHECK(ValueOf(model[i], TestKey("n2")) == Value(groups[i].count));
        CHECK(ValueOf(model[i], TestKey("n")) == groups[i].highest);
        CHECK(ValueOf(model[i], TestKey("must")) == groups[i].last);
      }
    }
  }
}

TEST_CASE("aggregate stops when it is told to") {
  StopFlag flag;
  flag.Request();
  OneTask aggregate("aggregate", R"j({"out":{"n":"count()"},"by":"country"})j");
  const Result<RowSet> result = aggregate.Run({MakeRows(kVotes)}, StopToken(flag));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace rankd
