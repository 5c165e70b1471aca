#include <algorithm>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

constexpr std::string_view kDuplicates =
    R"([{"id":1,"score":2.0,"country":"US"},{"id":2,"score":null,"country":null},)"
    R"({"id":3,"score":5.0,"country":"US"},{"id":1,"score":5.0,"country":"US"},)"
    R"({"id":4,"score":null,"country":null}])";

TEST_CASE("dedupe keeps one row of each value in order of first appearance") {
  CHECK(OneTask("dedupe", "{}").Text({MakeRows(kDuplicates)}) ==
        "1 score=2.0 country=\"US\" | 2 score=null country=null | 3 score=5.0 country=\"US\" | "
        "4 score=null country=null");
  CHECK(OneTask("dedupe", R"({"key":"country"})").Text({MakeRows(kDuplicates)}) ==
        "1 score=2.0 country=\"US\" | 2 score=null country=null");
  CHECK(OneTask("dedupe", R"({"key":"country","keep":"last"})").Text({MakeRows(kDuplicates)}) ==
        "1 score=5.0 country=\"US\" | 4 score=null country=null");
}

TEST_CASE("dedupe keeps the first of the greatest, nulls least") {
  CHECK(OneTask("dedupe", R"({"key":"country","keep":"max","by":"score"})")
            .Text({MakeRows(kDuplicates)}) ==
        "3 score=5.0 country=\"US\" | 2 score=null country=null");
  CHECK(OneTask("dedupe", R"({"key":"country","keep":"max","by":"title"})")
            .Text({MakeRows(kDuplicates)}) ==
        "1 score=2.0 country=\"US\" | 2 score=null country=null");
}

TEST_CASE("dedupe takes zeros of either sign as one and rows without the key as one") {
  const RowSet zeros =
      MakeRows(R"([{"id":1,"score":-0.0},{"id":2,"score":0.0},{"id":3,"score":1.0}])");
  CHECK(OneTask("dedupe", R"({"key":"score"})").Text({zeros}) == "1 score=-0.0 | 3 score=1.0");
  CHECK(OneTask("dedupe", R"({"key":"title","keep":"last"})").Text({zeros}) == "3 score=1.0");
  CHECK(OneTask("dedupe", R"({"key":"title"})").Text({Select(zeros, {})}) == "");
}

Model DedupeModel(const Model& rows, KeyId key, std::string_view keep, KeyId by) {
  Model kept;
  for (const ModelRow& row : rows) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const ModelRow& other) {
      return SameValue(ValueOf(row, key), ValueOf(other, key));
    });
    if (same == kept.end()) {
      kept.push_back(row);
    } else if (keep == "last" ||
               (keep == "max" && ValueLess(ValueOf(*same, by), ValueOf(row, by)))) {
      *same = row;
    }
  }
  return kept;
}

TEST_CASE("dedupe agrees with a row-by-row dedupe of random rows") {
  Random random(5);
  for (const std::string_view key : {"id", "score", "n", "flag", "country", "title"}) {
    for (const std::string_view keep : {"first", "last", "max"}) {
      for (const std::string_view by : {"score", "title", "flag", "id"}) {
        std::string params = R"({"key":")" + std::string(key) + R"(","keep":")" + std::string(keep);
        params += keep == "max" ? R"(","by":")" + std::string(by) + "\"}" : "\"}";
        CAPTURE(params);
        OneTask dedupe("dedupe", params);
        for (int round = 0; round < 8; ++round) {
          const RowSet rows = RandomRows(random, 30, {"score", "n", "flag", "country", "title"});
          const Result<RowSet> result = dedupe.Run({rows});
          REQUIRE(result.has_value());
          CHECK(ToModel(*result) == DedupeModel(ToModel(rows), TestKey(key), keep, TestKey(by)));
        }
      }
    }
  }
}

TEST_CASE("dedupe wants by for max and for nothing else") {
  CHECK(ProblemsOf("dedupe", R"({"keep":"max"})") ==
        std::vector<std::string>{R"(/nodes/0/params: the op "dedupe" needs the param "by")"});
  CHECK(ProblemsOf("dedupe", R"({"by":"n"})").front().starts_with("/nodes/0/params/by: "));
  CHECK(ProblemsOf("dedupe", R"({"keep":"most"})").front().starts_with("/nodes/0/params/keep: "));
}

TEST_CASE("dedupe stops when it is told to") {
  StopFlag flag;
  flag.Request();
  for (const std::string_view params :
       {R"({"key":"country"})", R"({"key":"id","keep":"max","by":"score"})"}) {
    OneTask dedupe("dedupe", params);
    const Result<RowSet> result = dedupe.Run({MakeRows(kDuplicates)}, StopToken(flag));
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace rankd
