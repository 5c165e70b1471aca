#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

using Texts = std::vector<std::string>;

std::string Rows(std::string_view rows) {
  return OneTask("fixed_source", R"({"rows":)" + std::string(rows) + "}", 0).Text({});
}

Texts RowProblems(std::string_view rows) {
  return ProblemsOf("fixed_source", R"({"rows":)" + std::string(rows) + "}", 0);
}

TEST_CASE("fixed_source counts ids from 1") {
  CHECK(OneTask("fixed_source", R"({"row_count":3})", 0).Text({}) == "1 | 2 | 3");
  OneTask counted("fixed_source", R"({"row_count":{"expr":"P.limit * 2"}})", 0);
  counted.SetParam("limit", std::int64_t{2});
  CHECK(counted.Text({}) == "1 | 2 | 3 | 4");
  counted.SetParam("limit", std::int64_t{0});
  CHECK(counted.Text({}).starts_with("invalid_param: "));
  counted.SetParam("limit", std::int64_t{5'000'001});
  CHECK(counted.Text({}).starts_with("invalid_param: "));
  CHECK(OneTask("fixed_source", R"({"row_count":{"expr":"count() + 1"}})", 0).Text({}) == "1");
}

TEST_CASE("fixed_source makes millions of rows when it runs, not before") {
  const Result<RowSet> rows = OneTask("fixed_source", R"({"row_count":1000001})", 0).Run({});
  REQUIRE(rows.has_value());
  CHECK(rows->rows() == 1'000'001);
  CHECK(rows->IdAt(1'000'000) == 1'000'001);
}

TEST_CASE("fixed_source shares rows that stand in the plan") {
  OneTask source("fixed_source", R"({"rows":[{"id":7,"score":1}]})", 0);
  const Result<RowSet> first = source.Run({});
  const Result<RowSet> second = source.Run({});
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  CHECK(&first->ids() == &second->ids());
}

TEST_CASE("fixed_source carries every key that a row names and fills the rest") {
  CHECK(Rows(R"([{"id":7,"score":0.5},{"n":3,"id":-9223372036854775808},{"id":7,"s2":null}])") ==
        "7 score=0.5 n=null s2=\"none\" | -9223372036854775808 score=null n=3 s2=\"none\" | "
        "7 score=null n=null s2=\"none\"");
  CHECK(Rows(R"([{"id":1,"score":3,"final_score":null},{"id":2,"final_score":7}])") ==
        "1 score=3.0 final_score=0.5 | 2 score=null final_score=7.0");
  CHECK(Rows(R"([{"id":1,"1002":4},{"id":2,"n":5}])") == "1 n=4 | 2 n=5");
  CHECK(Rows(R"([{"id":1,"flag":true,"country":"é\u0000"}])") ==
        "1 flag=true country=\"é\\u0000\"");
  CHECK(Rows(R"([{"country":"US","id":1,"n":1},{"n":2,"country":"CA","id":2}])") ==
        "1 n=1 country=\"US\" | 2 n=2 country=\"CA\"");
}

TEST_CASE("fixed_source may have no rows") { CHECK(Rows("[]") == ""); }

TEST_CASE("fixed_source tells every row that is wrong") {
  CHECK(RowProblems(R"([{"score":1},{"id":null},{"id":"7"},{"id":1.5},{"id":9223372036854775808}])")
            .size() == 5);
  const Texts ids = RowProblems(R"([{"id":1},{"score":1},{"id":"7"},3])");
  REQUIRE(ids.size() == 3);
  CHECK(ids[0].starts_with("/nodes/0/params/rows/1: "));
  CHECK(ids[1].starts_with("/nodes/0/params/rows/2/id: "));
  CHECK(ids[2].starts_with("/nodes/0/params/rows/3: "));
  const Texts values =
      RowProblems(R"([{"id":1,"scor":1},{"id":2,"score":"x"},{"id":3,"n":1.0},{"id":4,"flag":1},)"
                  R"({"id":5,"country":5},{"id":6,"kept":1},{"id":7,"n":[1]}])");
  REQUIRE(values.size() == 7);
  CHECK(values[0].starts_with(
      "/nodes/0/params/rows/0/scor: unknown key \"scor\", did you mean \"score\"?"));
  CHECK(values[1].starts_with("/nodes/0/params/rows/1/score: "));
  CHECK(values[2].starts_with("/nodes/0/params/rows/2/n: "));
  CHECK(values[3].starts_with("/nodes/0/params/rows/3/flag: "));
  CHECK(values[4].starts_with("/nodes/0/params/rows/4/country: "));
  CHECK(values[5].starts_with("/nodes/0/params/rows/5/kept: "));
  CHECK(values[6].starts_with("/nodes/0/params/rows/6/n: "));
}

TEST_CASE("fixed_source fails when it runs, naming the row that lacks a key which needs a value") {
  const auto answer = [](std::string_view rows) {
    return OneTask("fixed_source", "{\"rows\":" + std::string(rows) + "}", 0).Text({});
  };
  const std::string lacking = answer(R"([{"id":1},{"id":2,"must":5},{"id":3,"must":null}])");
  CHECK(lacking.starts_with("null_value: "));
  CHECK(lacking.find("\"must\"") != std::string::npos);
  CHECK(lacking.ends_with("id 1"));
  CHECK(answer(R"([{"id":2,"must":5},{"id":3}])").ends_with("id 3"));
}

TEST_CASE("fixed_source refuses one key named twice in a row") {
  CHECK(RowProblems(R"([{"id":1,"n":1,"1002":2}])")
            .front()
            .starts_with("/nodes/0/params/rows/0/1002: "));
}

TEST_CASE("fixed_source wants rows or row_count, not both") {
  CHECK(ProblemsOf("fixed_source", "{}", 0) ==
        Texts{R"(/nodes/0/params: the op "fixed_source" needs the param "row_count" or "rows")"});
  CHECK(ProblemsOf("fixed_source", R"({"row_count":1,"rows":[]})", 0).size() == 1);
  CHECK(ProblemsOf("fixed_source", R"({"row_count":0})", 0).size() == 1);
  CHECK(ProblemsOf("fixed_source", R"({"row_count":10000001})", 0).size() == 1);
  CHECK(ProblemsOf("fixed_source", R"({"row_count":10000000})", 0).empty());
  CHECK(ProblemsOf("fixed_source", R"({"rows":{"id":1}})", 0)
            .front()
            .starts_with("/nodes/0/params/rows: "));
}

}  // namespace
}  // namespace rankd
