#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

constexpr std::string_view kUnsorted =
    R"([{"id":5,"score":0.1,"country":"US"},{"id":3,"score":null,"country":"CA"},)"
    R"({"id":9,"score":0.1,"country":null},{"id":1,"score":7.0,"country":"US"},)"
    R"({"id":4,"score":-1.0,"country":"ca"}])";

std::vector<std::int64_t> Ids(const Result<RowSet>& rows) {
  REQUIRE(rows.has_value());
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < rows->rows(); ++i) ids.push_back(rows->IdAt(i));
  return ids;
}

using IdList = std::vector<std::int64_t>;
using IdSet = std::multiset<std::int64_t>;

TEST_CASE("sort is stable in both orders and puts nulls last in both") {
  CHECK(Ids(OneTask("sort", R"({"key":"score"})").Run({MakeRows(kUnsorted)})) ==
        IdList{4, 5, 9, 1, 3});
  CHECK(Ids(OneTask("sort", R"({"by":"score","order":"desc"})").Run({MakeRows(kUnsorted)})) ==
        IdList{1, 5, 9, 4, 3});
}

TEST_CASE("sort by several keys takes the first as the most significant") {
  OneTask sort("sort", R"({"keys":[{"key":"country"},{"key":"score","order":"desc"}]})");
  CHECK(Ids(sort.Run({MakeRows(kUnsorted)})) == IdList{3, 1, 5, 4, 9});
}

TEST_CASE("sort keeps the order where the rows do not carry the key") {
  OneTask sort("sort", R"({"keys":[{"key":"title"},{"key":"id"}]})");
  CHECK(Ids(sort.Run({MakeRows(kUnsorted)})) == IdList{1, 3, 4, 5, 9});
  OneTask by_title("sort", R"({"key":"title","order":"desc"})");
  const RowSet rows = Select(MakeRows(kUnsorted), {4, 0, 4});
  CHECK(Ids(by_title.Run({rows})) == IdList{4, 5, 4});
}

TEST_CASE("sort tells bytes, bools, extreme ints and zeros apart as it should") {
  CHECK(OneTask("sort", R"({"key":"flag"})")
            .Text({MakeRows(R"([{"id":1,"flag":true},{"id":2,"flag":false},{"id":3}])")}) ==
        "2 flag=false | 1 flag=true | 3 flag=null");
  CHECK(OneTask("sort", R"({"key":"n","order":"desc"})")
            .Text({MakeRows(R"([{"id":1,"n":-9223372036854775808},{"id":2,"n":0},)"
                            R"({"id":3,"n":9223372036854775807},{"id":4,"n":-1}])")}) ==
        "3 n=9223372036854775807 | 2 n=0 | 4 n=-1 | 1 n=-9223372036854775808");
  CHECK(OneTask("sort", R"({"key":"score","order":"desc"})")
            .Text({MakeRows(R"([{"id":1,"score":-0.0},{"id":2,"score":0.0},{"id":3,"score":-0.0},)"
                            R"({"id":4,"score":5e-324},{"id":5,"score":-5e-324}])")}) ==
        "4 score=5e-324 | 1 score=-0.0 | 2 score=0.0 | 3 score=-0.0 | 5 score=-5e-324");
  CHECK(Ids(OneTask("sort", R"({"key":"country"})")
                .Run({MakeRows(R"([{"id":1,"country":"é"},{"id":2,"country":"z"},)"
                               R"({"id":3,"country":""},{"id":4,"country":"a\u0000"},)"
                               R"({"id":5,"country":"a"},{"id":6,"country":"Z"}])")})) ==
        IdList{3, 6, 5, 4, 2, 1});
}

TEST_CASE("sort of few rows of a large dictionary ranks only what they use") {
  std::string json = "[";
  for (int i = 0; i < 5000; ++i) {
    json += (i == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(i) +
            R"(,"country":"text )" + std::to_string(i * 7919 % 5000) + R"("})";
  }
  json += "]";
  const RowSet all = MakeRows(json);
  OneTask sort("sort", R"({"key":"country"})");
  CHECK(Ids(sort.Run({Select(all, {3, 1, 2, 1})})) == IdList{1, 1, 3, 2});
  const Result<RowSet> sorted = sort.Run({all});
  REQUIRE(sorted.has_value());
  const Model model = ToModel(*sorted);
  const KeyId country = TestKey("country");
  CHECK(model.size() == 5000);
  CHECK(std::is_sorted(model.begin(), model.end(), [&](const ModelRow& a, const ModelRow& b) {
    return ValueLess(a.at(country), b.at(country));
  }));
}

struct ModelKey {
  std::string_view name;
  bool descending;
};

Model SortModel(Model rows, const std::vector<ModelKey>& keys) {
  std::vector<KeyId> ids;  // once: each look-up makes a schema
  for (const ModelKey& key : keys) ids.push_back(TestKey(key.name));
  const auto before = [&](const ModelRow& a, const ModelRow& b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const ModelKey& key = keys[k];
      const Value& x = ValueOf(a, ids[k]);
      const Value& y = ValueOf(b, ids[k]);
      if (IsNull(x) != IsNull(y)) return IsNull(y);
      if (ValueLess(x, y)) return !key.descending;
      if (ValueLess(y, x)) return key.descending;
    }
    return false;
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {  // insertion: slow, stable, plainly right
    for (std::size_t j = i; j > 0 && before(rows[j], rows[j - 1]); --j) {
      std::swap(rows[j], rows[j - 1]);
    }
  }
  return rows;
}

Result<RowSet> RunAlone(const CpuTask& task, const RowSet& rows) {
  NodeContext context;
  context.inputs = std::span(&rows, 1);
  return task.Run(context);
}

IdList IdsSorted(const Model& rows) {
  IdList ids;
  for (const ModelRow& row : rows) ids.push_back(std::get<std::int64_t>(ValueOf(row, kIdKey)));
  std::ranges::sort(ids);
  return ids;
}

TEST_CASE("sort agrees with a row-by-row sort of random rows") {
  struct Case {
    std::string_view params;
    std::vector<ModelKey> keys;
  };
  const Case cases[] = {
      {R"({"key":"score"})", {{"score", false}}},
      {R"({"key":"n","order":"desc"})", {{"n", true}}},
      {R"({"key":"country"})", {{"country", false}}},
      {R"({"key":"title","order":"desc"})", {{"title", true}}},
      {R"({"key":"flag","order":"desc"})", {{"flag", true}}},
      {R"({"key":"id"})", {{"id", false}}},
      {R"({"keys":[{"key":"flag","order":"desc"},{"key":"country"},{"key":"score"}]})",
       {{"flag", true}, {"country", false}, {"score", false}}},
      {R"({"keys":[{"key":"n"},{"key":"n","order":"desc"},{"key":"id","order":"desc"}]})",
       {{"n", false}, {"id", true}}},
  };
  Random random(1);
  for (const Case& one : cases) {
    OneTask sort("sort", one.params);
    for (int round = 0; round < 40; ++round) {
      // Beyond the number of rows from which rows are sorted byte by byte.
      const std::uint32_t most = round % 20 == 0 ? 1500 : round % 4 == 1 ? 200 : 40;
      const RowSet rows = RandomRows(random, most, {"score", "n", "country", "title", "flag"});
      const Result<RowSet> sorted = sort.Run({rows});
      REQUIRE(sorted.has_value());
      CAPTURE(one.params);
      CAPTURE(round);
      const Model wanted = SortModel(ToModel(rows), one.keys);
      CHECK(ToModel(*sorted) == wanted);
      for (const std::size_t leading : {0u, 1u, 2u, 7u, 100u, 5000u}) {
        const std::unique_ptr<const CpuTask> select = sort.cpu().ForLeadingRows(leading);
        CHECK((select != nullptr) == (one.keys.size() == 1));
        if (select == nullptr) continue;
        CAPTURE(leading);
        const Result<RowSet> selected = RunAlone(*select, rows);
        REQUIRE(selected.has_value());
        const std::size_t looked_at = std::min(leading, rows.rows());
        Model first = ToModel(*selected);
        CHECK(first.size() == wanted.size());
        CHECK(IdsSorted(first) == IdsSorted(wanted));
        first.resize(looked_at);
        CHECK(first ==
              Model(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(looked_at)));
      }
    }
  }
}

TEST_CASE("the first rows are found in rows that come in any order, without nulls") {
  Random random(5);
  for (const std::uint32_t count : {63U, 64U, 65U, 100U, 127U, 128U, 300U, 2000U}) {
    for (int shape = 0; shape < 4; ++shape) {
      std::string text = "[";
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t n = shape == 0   ? i / 2      // ascending, in pairs
                                : shape == 1 ? count - i  // descending
                                : shape == 2 ? 7          // equal
                                             : random.Below(20);
        text += (i == 0 ? R"({"id":)" : R"(,{"id":)") + std::to_string(i) + R"(,"n":)" +
                std::to_string(n) + R"(,"score":)" + std::to_string(n) + ".5}";
      }
      const RowSet rows = MakeRows(text + "]");
      for (const std::string_view params :
           {R"({"key":"n"})", R"({"key":"n","order":"desc"})", R"({"key":"score"})",
            R"({"key":"score","order":"desc"})"}) {
        OneTask sort("sort", params);
        const IdList wanted = Ids(sort.Run({rows}));
        for (const std::size_t leading : {1U, 2U, 10U, 15U, 16U, 17U, 30U}) {
          CAPTURE(count);
          CAPTURE(shape);
          CAPTURE(params);
          CAPTURE(leading);
          IdList first = Ids(RunAlone(*sort.cpu().ForLeadingRows(leading), rows));
          CHECK(IdSet(first.begin(), first.end()) == IdSet(wanted.begin(), wanted.end()));
          first.resize(leading);
          CHECK(std::ranges::equal(first, std::span(wanted).first(leading)));
        }
      }
    }
  }
}

TEST_CASE("sort stops when it is told to") {
  StopFlag flag;
  flag.Request();
  OneTask sort("sort", R"({"key":"country"})");
  const Result<RowSet> result = sort.Run({MakeRows(kUnsorted)}, StopToken(flag));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

TEST_CASE("sort refuses params that do not say one thing") {
  using Problems = std::vector<std::string>;
  CHECK(ProblemsOf("sort", "{}") ==
        Problems{R"(/nodes/0/params: the op "sort" needs the param "key", "by" or "keys")"});
  CHECK(ProblemsOf("sort", R"({"key":"n","by":"n"})") ==
        Problems{R"(/nodes/0/params/by: only one of "key", "by" and "keys" may be given)"});
  CHECK(ProblemsOf("sort", R"({"key":"n","keys":[{"key":"n"}]})") ==
        Problems{R"(/nodes/0/params/keys: only one of "key", "by" and "keys" may be given)"});
  CHECK(ProblemsOf("sort", R"({"keys":[]})").size() == 1);
  CHECK(ProblemsOf("sort", R"({"keys":"n"})").size() == 1);
  CHECK(ProblemsOf("sort", R"({"keys":[{"key":"n"}],"order":"desc"})")
            .front()
            .starts_with("/nodes/0/params/order: "));
  const Problems several =
      ProblemsOf("sort", R"({"keys":[{"key":"skore"},{"order":"up","key":"n"},7,{"order":"asc"},)"
                         R"({"key":"n","ordr":"asc"}]})");
  REQUIRE(several.size() == 5);
  CHECK(several[0].starts_with("/nodes/0/params/keys/0/key: unknown key \"skore\", did you mean"));
  CHECK(several[1].starts_with("/nodes/0/params/keys/1/order: "));
  CHECK(several[2].starts_with("/nodes/0/params/keys/2: "));
  CHECK(several[3].starts_with("/nodes/0/params/keys/3: "));
  CHECK(several[4] ==
        R"(/nodes/0/params/keys/4/ordr: unknown field "ordr", did you mean "order"?)");
}

}  // namespace
}  // namespace rankd
