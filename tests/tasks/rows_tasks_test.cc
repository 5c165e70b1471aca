// vm, filter, take and concat.
#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

constexpr std::string_view kScored =
    R"([{"id":5,"score":0.5},{"id":3,"score":null},{"id":9,"score":2.0},{"id":1,"score":7.0}])";

TEST_CASE("vm writes a key of the rows, in their order") {
  OneTask vm("vm", R"({"out_key":"n","expr":"id + 1"})");
  CHECK(vm.Text({MakeRows(kScored)}) ==
        "5 score=0.5 n=6 | 3 score=null n=4 | 9 score=2.0 n=10 | 1 score=7.0 n=2");
  CHECK(vm.Text({Select(MakeRows(kScored), {3, 0, 3})}) ==
        "1 score=7.0 n=2 | 5 score=0.5 n=6 | 1 score=7.0 n=2");
  CHECK(vm.Text({Select(MakeRows(kScored), {2})}) == "9 score=2.0 n=10");
  const Result<RowSet> none = vm.Run({RowSet()});
  REQUIRE(none.has_value());
  CHECK(ShowKeys(*none) == "id,n");
}

TEST_CASE("vm overwrites a key the rows carry and leaves its input alone") {
  const RowSet rows = Select(MakeRows(kScored), {2, 1, 0});
  OneTask vm("vm", R"({"out_key":"score","expr":"score * 2"})");
  CHECK(vm.Text({rows}) == "9 score=4.0 | 3 score=null | 5 score=1.0");
  CHECK(Show(rows) == "9 score=2.0 | 3 score=null | 5 score=0.5");
  CHECK(OneTask("vm", R"({"out_key":"score","expr":"id"})").Text({rows}) ==
        "9 score=9.0 | 3 score=3.0 | 5 score=5.0");
  CHECK(OneTask("vm", R"({"out_key":"score","expr":"null"})").Text({Select(rows, {0})}) ==
        "5 score=null");
}

TEST_CASE("vm names the first row whose null a key forbids") {
  const std::string text = OneTask("vm", R"j({"out_key":"must","expr":"floor(score)"})j")
                               .Text({Select(MakeRows(kScored), {0, 2, 1})});
  CHECK(text.starts_with("null_value: "));
  CHECK(text.find("must") != std::string::npos);
  CHECK(text.find("id 3") != std::string::npos);
}

TEST_CASE("vm tells what is wrong with each of its params") {
  CHECK(ProblemsOf("vm", "{}").size() == 2);
  CHECK(ProblemsOf("vm", R"({"out_key":"id","expr":"1"})")
            .front()
            .starts_with("/nodes/0/params/out_key: "));
  CHECK(ProblemsOf("vm", R"({"out_key":"n","expr":"1.5"})")
            .front()
            .starts_with("/nodes/0/params/expr: "));
  const std::vector<std::string> both = ProblemsOf("vm", R"({"out_key":"nope","expr":"scor + 1"})");
  REQUIRE(both.size() == 2);
  CHECK(both[0].starts_with("/nodes/0/params/out_key: "));
  CHECK(both[1].starts_with("/nodes/0/params/expr: "));
}

TEST_CASE("filter keeps the rows where the predicate holds, in order") {
  OneTask filter("filter", R"({"pred":"score >= 1"})");
  CHECK(filter.Text({MakeRows(kScored)}) == "9 score=2.0 | 1 score=7.0");
  CHECK(filter.Text({Select(MakeRows(kScored), {3, 1, 2, 3})}) ==
        "1 score=7.0 | 9 score=2.0 | 1 score=7.0");
  const RowSet all = Select(MakeRows(kScored), {3, 2});
  const Result<RowSet> kept = filter.Run({all});
  REQUIRE(kept.has_value());
  CHECK(kept->selection() == all.selection());  // nothing was copied
  CHECK(OneTask("filter", R"({"pred":"false"})").Text({all}) == "");
}

TEST_CASE("take gives a slice of the order") {
  const RowSet rows = Select(MakeRows(kScored), {3, 2, 1, 0});
  CHECK(OneTask("take", R"({"count":2})").Text({rows}) == "1 score=7.0 | 9 score=2.0");
  CHECK(OneTask("take", R"({"count":2,"offset":1})").Text({rows}) == "9 score=2.0 | 3 score=null");
  CHECK(OneTask("take", R"({"count":0})").Text({rows}) == "");
  CHECK(OneTask("take", R"({"count":9,"offset":4})").Text({rows}) == "");
  CHECK(OneTask("take", R"({"count":9223372036854775807,"offset":3})").Text({rows}) ==
        "5 score=0.5");
  CHECK(OneTask("take", R"({"count":1,"offset":9223372036854775807})").Text({rows}) == "");
}

TEST_CASE("take evaluates its numbers over its input") {
  OneTask half("take", R"j({"count":{"expr":"floor(count() / 2)"},"offset":{"expr":"P.limit"}})j");
  CHECK(half.Text({MakeRows(kScored)}) == "1 score=7.0");
  half.SetParam("limit", std::int64_t{1});
  CHECK(half.Text({MakeRows(kScored)}) == "3 score=null | 9 score=2.0");
  half.SetParam("limit", std::int64_t{-1});
  CHECK(half.Text({MakeRows(kScored)}).starts_with("invalid_param: "));
  half.SetParam("limit", Value());
  CHECK(half.Text({MakeRows(kScored)}).starts_with("invalid_param: "));
  CHECK(ProblemsOf("take", R"({"count":-1})").front().starts_with("/nodes/0/params/count: "));
  CHECK(ProblemsOf("take", R"({"count":1.5})").front().starts_with("/nodes/0/params/count: "));
}

TEST_CASE("concat puts the rows of its inputs one after the other and fills what they lack") {
  OneTask concat("concat", "{}", 3);
  CHECK(concat.Text({Select(MakeRows(kScored), {1, 0}), MakeRows(R"([{"id":5,"s2":"x"}])"),
                     MakeRows(R"([{"id":7}])")}) ==
        "3 score=null s2=\"none\" | 5 score=0.5 s2=\"none\" | 5 score=null s2=\"x\" | "
        "7 score=null s2=\"none\"");
  CHECK(ProblemsOf("concat", "{}", 1).size() == 1);
  CHECK(ProblemsOf("concat", R"({"rhs":"in0"})", 1).empty());
}

TEST_CASE("concat names the row where a key that may not be null has no default") {
  OneTask concat("concat", "{}", 2);
  const std::string text =
      concat.Text({MakeRows(R"([{"id":1,"must":4}])"), MakeRows(R"([{"id":8}])")});
  CHECK(text.starts_with("null_value: "));
  CHECK(text.find("id 8") != std::string::npos);
  CHECK(concat.Text({MakeRows(R"([{"id":1,"must":4}])"), RowSet()}) == "1 must=4");
}

TEST_CASE("concat agrees with rows put together one by one") {
  Random random(8);
  const Schema schema = TestSchema();
  OneTask concat("concat", "{}", 2);
  for (int round = 0; round < 200; ++round) {
    const RowSet a = RandomRows(random, 12, {"score", "n", "flag", "country", "s2", "final_score"});
    const RowSet b = RandomRows(random, 12, {"score", "n", "flag", "country", "s2", "final_score"});
    std::set<KeyId> keys;
    for (const RowSet& part : {a, b}) {
      for (const RowSet::Entry& entry : part.entries()) keys.insert(entry.key);
    }
    Model expected;
    for (const RowSet& part : {a, b}) {
      for (const ModelRow& row : ToModel(part)) {
        ModelRow filled;
        for (const KeyId key : keys) {
          filled[key] = row.contains(key) ? row.at(key) : schema.key(key).default_value;
        }
        expected.push_back(std::move(filled));
      }
    }
    const Result<RowSet> result = concat.Run({a, b});
    REQUIRE(result.has_value());
    CHECK(ToModel(*result) == expected);
  }
}

TEST_CASE("a task gives the same rows for a selection as for its compacted rows") {
  Random random(9);
  OneTask tasks[] = {
      OneTask("vm", R"j({"out_key":"n2","expr":"coalesce(n, id)"})j"),
      OneTask("vm", R"j({"out_key":"country","expr":"concat(country, title)"})j"),
      OneTask("filter", R"({"pred":"flag || country == 'a'"})"),
      OneTask("take", R"({"count":4,"offset":1})"),
      OneTask("sort", R"({"key":"country","order":"desc"})"),
      OneTask("dedupe", R"({"key":"title","keep":"last"})"),
      OneTask("aggregate", R"j({"out":{"score":"sum(score)","s2":"first(title)"},"by":"flag"})j"),
      OneTask("busy_cpu", R"({"busy_wait_ms":0})"),
  };
  for (OneTask& task : tasks) {
    for (int round = 0; round < 40; ++round) {
      const RowSet rows = RandomRows(random, 30, {"score", "n", "flag", "country", "title"});
      CHECK(task.Text({rows}) == task.Text({rows.Compact()}));
    }
  }
}

}  // namespace
}  // namespace rankd
