// viewer, follow, recommendation, media and features against a store.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/fake_kv.h"
#include "tests/tasks/one_task.h"
#include "tests/tasks/scripted_replies.h"

namespace rankd {
namespace {

constexpr std::string_view kData = R"({
  "user:1": {"country":"US","title":"alpha","age":30,"score":"1e3","flag":"1","extra":"x"},
  "user:2": {"country":"CA","flag":"false","score":"-0.5"},
  "user:3": {"age":"-7"},
  "user:7": {"age":"12abc"},
  "user:8": {"score":"0x10"},
  "user:9": {"flag":"yes"},
  "follow:1": [1,2,3],
  "follow:2": [404,2],
  "follow:US:1": [9,8],
  "follow:9": [1,"12abc"],
  "follow:10": ["9223372036854775808"],
  "follow:11": ["-9223372036854775808",""],
  "media:1": [11,12],
  "recommendation:1": [3],
  "text": "just text"
})";

struct Store {
  FakeLoop loop;
  FakeKv kv{loop, "kv", kData};
};

std::string RunText(std::string_view op, std::string_view params, std::vector<RowSet> inputs,
                    Store& store, std::int64_t user_id = 0) {
  OneTask task(op, params, inputs.size());
  AsyncRun run(task, std::move(inputs), store.kv, store.loop, user_id);
  return run.Text();
}

std::string RunText(std::string_view op, std::string_view params, std::vector<RowSet> inputs) {
  Store store;
  return RunText(op, params, std::move(inputs), store);
}

using Log = std::vector<std::string>;

TEST_CASE("viewer is one row with fields of the user's hash") {
  Store store;
  CHECK(RunText("viewer", R"({"endpoint":"kv"})", {}, store, 1) == "1 country=\"US\"");
  CHECK(RunText("viewer", R"({"endpoint":"kv","fields":["age","score","flag"]})", {}, store, 1) ==
        "1 score=1000.0 flag=true age=30");
  CHECK(RunText("viewer", R"({"endpoint":"kv","fields":[],"key":"user:2"})", {}, store, 7) == "7");
  CHECK(store.kv.log() == Log{"HGETALL user:1", "HGETALL user:1", "HGETALL user:2"});
  CHECK(OneTask("viewer", R"({"endpoint":"kv"})", 0).needs_user_id());
}

TEST_CASE("viewer fills what the hash lacks, all of it where there is no hash") {
  Store store;
  CHECK(RunText("viewer", R"({"endpoint":"kv","fields":["country","s2","final_score"]})", {}, store,
                404) == "404 country=null final_score=0.5 s2=\"none\"");
  const std::string text =
      RunText("viewer", R"({"endpoint":"kv","fields":["must"]})", {}, store, 3);
  CHECK(text.starts_with("null_value: "));
  CHECK(text.find("must") != std::string::npos);
  CHECK(text.find("id 3") != std::string::npos);
}

TEST_CASE("viewer tells a hash it cannot read") {
  Store store;
  const std::string wrong_type =
      RunText("viewer", R"({"endpoint":"kv","key":"follow:{id}"})", {}, store, 1);
  CHECK(wrong_type.starts_with("redis_error: "));
  CHECK(wrong_type.find("WRONGTYPE") != std::string::npos);
  CHECK(wrong_type.find("follow:1") != std::string::npos);
  const std::string bad = RunText("viewer", R"({"endpoint":"kv","fields":["age"]})", {}, store, 7);
  CHECK(bad.starts_with("bad_data: "));
  CHECK(bad.find("user:7") != std::string::npos);
  CHECK(bad.find("age") != std::string::npos);
  CHECK(bad.find("12abc") != std::string::npos);
  CHECK(RunText("viewer", R"({"endpoint":"kv","fields":["score"]})", {}, store, 8)
            .starts_with("bad_data: "));
  CHECK(RunText("viewer", R"({"endpoint":"kv","fields":["flag"]})", {}, store, 9)
            .starts_with("bad_data: "));
}

TEST_CASE("follow reads the lists of all rows in one pipeline and the hashes in another") {
  Store store;
  const RowSet rows = Select(MakeRows(R"([{"id":1},{"id":2},{"id":5}])"), {1, 2, 0});
  CHECK(RunText("follow", R"({"endpoint":"kv","fields":["country","flag"]})", {rows}, store) ==
        "404 flag=null country=null | 2 flag=false country=\"CA\" | 1 flag=true country=\"US\" | "
        "2 flag=false country=\"CA\" | 3 flag=null country=null");
  CHECK(store.kv.log() ==
        Log{"LRANGE follow:2 0 -1; LRANGE follow:5 0 -1; LRANGE follow:1 0 -1",
            "HMGET user:404 flag country; HMGET user:2 flag country; HMGET user:1 flag country; "
            "HMGET user:2 flag country; HMGET user:3 flag country"});
}

TEST_CASE("follow takes fanout ids of each list and reads no hashes for no fields") {
  Store store;
  const RowSet rows = MakeRows(R"([{"id":1,"n":2},{"id":2,"n":3}])");
  CHECK(RunText("follow", R"({"endpoint":"kv","fields":[],"fanout":1})", {rows}, store) ==
        "1 | 404");
  CHECK(RunText("follow", R"j({"endpoint":"kv","fields":[],"fanout":{"expr":"lowest(n)"}})j",
                {rows}, store) == "1 | 2 | 404 | 2");
  CHECK(store.kv.log() == Log{"LRANGE follow:1 0 0; LRANGE follow:2 0 0",
                              "LRANGE follow:1 0 1; LRANGE follow:2 0 1"});
  for (const RowSet& any : {rows, Select(rows, {})}) {
    CHECK(RunText("follow", R"({"endpoint":"kv","fanout":{"expr":"0"}})", {any}, store)
              .starts_with("invalid_param: "));
  }
}

TEST_CASE("follow carries its keys and asks for nothing where there are no rows") {
  Store store;
  OneTask task("follow", R"({"endpoint":"kv","fields":["age"]})");
  AsyncRun run(task, {RowSet()}, store.kv, store.loop);
  const Result<RowSet> result = run.Take();
  REQUIRE(result.has_value());
  CHECK(ShowKeys(*result) == "id,age");
  CHECK(store.kv.log().empty());
  CHECK(RunText("follow", R"({"endpoint":"kv"})", {MakeRows(R"([{"id":77}])")}, store) == "");
}

TEST_CASE("RoundTrips is what a run over rows sends, one pipeline after the other") {
  struct Case {
    std::string_view op;
    std::string_view params;
    std::size_t inputs;
    std::size_t round_trips;
  };
  for (const Case& c :
       {Case{"viewer", R"({"endpoint":"kv","fields":[]})", 0, 1},
        Case{"viewer", R"({"endpoint":"kv"})", 0, 1},
        Case{"follow", R"({"endpoint":"kv","fields":[]})", 1, 1},
        Case{"follow", R"({"endpoint":"kv"})", 1, 2}, Case{"media", R"({"endpoint":"kv"})", 1, 1},
        Case{"features", R"({"endpoint":"kv","fields":["age"]})", 1, 1},
        Case{"features", R"({"endpoint":"kv","fields":[]})", 1, 0}}) {
    CAPTURE(c.op);
    CAPTURE(c.params);
    Store store;
    OneTask task(c.op, c.params, c.inputs);
    CHECK(task.async().RoundTrips() == c.round_trips);
    AsyncRun run(task, std::vector<RowSet>(c.inputs, MakeRows(R"([{"id":1}])")), store.kv,
                 store.loop, 1);
    CHECK(run.Take().has_value());
    CHECK(run.round_trips() == c.round_trips);
  }
}

TEST_CASE("follow names lists by any key of the row") {
  const RowSet rows = MakeRows(R"([{"id":1,"country":"US"},{"id":1,"country":null}])");
  const std::string_view params = R"({"endpoint":"kv","fields":[],"key":"follow:{country}:{id}"})";
  CHECK(RunText("follow", params, {Select(rows, {0})}) == "9 | 8");
  const std::string text = RunText("follow", params, {rows});
  CHECK(text.starts_with("bad_data: "));
  CHECK(text.find("country") != std::string::npos);
}

TEST_CASE("recommendation and media have lists and fields of their own") {
  Store store;
  const RowSet one = MakeRows(R"([{"id":1}])");
  CHECK(RunText("recommendation", R"({"endpoint":"kv"})", {one}, store) == "3 country=null");
  CHECK(RunText("media", R"({"endpoint":"kv"})", {one}, store) == "11 | 12");
  CHECK(RunText("media", R"({"endpoint":"kv","fields":["age"],"hydrate_key":"user:1"})", {one},
                store) == "11 age=30 | 12 age=30");
}

TEST_CASE("a list entry that is no 64-bit integer is bad data") {
  struct Case {
    std::string_view row;
    std::string_view key;
    std::string_view entry;
  };
  for (const Case& one : {Case{R"([{"id":9}])", "follow:9", "\"12abc\""},
                          Case{R"([{"id":10}])", "follow:10", "\"9223372036854775808\""},
                          Case{R"([{"id":11}])", "follow:11", "\"\""}}) {
    const std::string text = RunText("follow", R"({"endpoint":"kv"})", {MakeRows(one.row)});
    CAPTURE(text);
    CHECK(text.starts_with("bad_data: "));
    CHECK(text.find(one.key) != std::string::npos);
    CHECK(text.find(one.entry) != std::string::npos);
  }
  const std::string wrong_type =
      RunText("follow", R"({"endpoint":"kv","key":"user:{id}"})", {MakeRows(R"([{"id":1}])")});
  CHECK(wrong_type.starts_with("redis_error: "));
  CHECK(wrong_type.find("WRONGTYPE") != std::string::npos);
  CHECK(wrong_type.find("user:1") != std::string::npos);
}

TEST_CASE("features writes fields onto the rows it is given") {
  Store store;
  const RowSet rows =
      Select(MakeRows(R"([{"id":1,"age":5},{"id":2,"age":6},{"id":3,"age":8}])"), {2, 0, 2});
  CHECK(RunText("features", R"({"endpoint":"kv","fields":["age","title"]})", {rows}, store) ==
        "3 title=null age=-7 | 1 title=\"alpha\" age=30 | 3 title=null age=-7");
  CHECK(store.kv.log() ==
        Log{"HMGET user:3 title age; HMGET user:1 title age; HMGET user:3 title age"});
  CHECK(RunText("features", R"({"endpoint":"kv","fields":["title"],"key":"user:{age}"})",
                {MakeRows(R"([{"id":9,"age":1}])")}, store) == "9 title=\"alpha\" age=1");
  CHECK(RunText("features", R"({"endpoint":"kv","fields":[]})", {rows}, store) == Show(rows));
  OneTask task("features", R"({"endpoint":"kv","fields":["title"]})");
  AsyncRun run(task, {RowSet()}, store.kv, store.loop);
  const Result<RowSet> none = run.Take();
  REQUIRE(none.has_value());
  CHECK(ShowKeys(*none) == "id,title");
}

TEST_CASE("features leaves other rows of a selection alone") {
  const RowSet all = MakeRows(R"([{"id":1,"age":5},{"id":404,"age":6}])");
  CHECK(RunText("features", R"({"endpoint":"kv","fields":["age"]})", {Select(all, {0})}) ==
        "1 age=30");
  CHECK(Show(all) == "1 age=5 | 404 age=6");
}

/// Counts rounds of the loop.
class Rounds final : public LoopTask {
 public:
  explicit Rounds(FakeLoop& loop) : loop_(loop) { loop_.Post(*this); }
  void OnLoop() override {
    if (++count < kMost) loop_.Post(*this);
  }
  std::size_t count = 0;
  static constexpr std::size_t kMost = 1000;

 private:
  FakeLoop& loop_;
};

/// `{"user:1":{"age":1,"title":"t1"},…,"follow:1":[1,2,…]}`; with `bad` that user's age is none.
std::string ManyUsers(int count, int bad = 0) {
  std::string users = "{";
  std::string list = "\"follow:1\":[";
  for (int id = 1; id <= count; ++id) {
    const std::string number = std::to_string(id);
    users += "\"user:" + number + "\":{\"age\":" + (id == bad ? "\"old\"" : number) +
             ",\"title\":\"t" + number + "\"},";
    list += (id > 1 ? "," : "") + number;
  }
  return users + list + "]}";
}

/// One op over many users; how the loop turned meanwhile.
struct ManyUsersRun {
  ManyUsersRun(std::string_view op, int count, int bad = 0)
      : kv(loop, "kv", ManyUsers(count, bad)),
        task(op, R"({"endpoint":"kv","fields":["age","title"]})") {
    std::string rows = op == "features" ? "[" : "[{\"id\":1}]";
    for (int id = 1; op == "features" && id <= count; ++id) {
      rows += "{\"id\":" + std::to_string(id) + (id < count ? "}," : "}]");
    }
    run.emplace(task, std::vector<RowSet>{MakeRows(rows)}, kv, loop);
  }
  FakeLoop loop;
  FakeKv kv;
  OneTask task;
  std::optional<AsyncRun> run;
};

TEST_CASE("many hashes are read in parts, between which the loop turns") {
  constexpr int kUsers = 9000;
  for (const std::string_view op : {"follow", "features"}) {
    CAPTURE(std::string(op));
    ManyUsersRun many(op, kUsers);
    Rounds rounds(many.loop);
    CHECK_FALSE(many.run->done());
    std::size_t until_done = 0;
    while (!many.run->done()) {
      many.loop.TurnOnce();
      ++until_done;
      REQUIRE(until_done < Rounds::kMost);
    }
    CHECK(rounds.count >= 3);  // 18,000 values
    const Result<RowSet> rows = many.run->Take();
    REQUIRE(rows.has_value());
    REQUIRE(rows->rows() == kUsers);
    const std::string text = Show(*rows);
    CHECK(text.starts_with("1 title=\"t1\" age=1 | 2 title"));
    CHECK(text.ends_with(" | 9000 title=\"t9000\" age=9000"));
    CHECK(text.find(" | 4097 title=\"t4097\" age=4097 | 4098 title=\"t4098\" age=4098 | ") !=
          std::string::npos);
  }
}

TEST_CASE("a value that may not be there is refused in whatever part it stands") {
  for (const int bad : {1, 4096, 4097, 9000}) {
    for (const std::string_view op : {"follow", "features"}) {
      ManyUsersRun many(op, 9000, bad);
      many.loop.Turn();
      CHECK(many.run->Text() == "bad_data: Redis key \"user:" + std::to_string(bad) +
                                    "\": field \"age\" is \"old\", no 64-bit integer");
    }
  }
}

TEST_CASE("what is stopped between two parts ends there") {
  for (const std::string_view op : {"follow", "features"}) {
    for (int turns = 0; turns < 3; ++turns) {
      ManyUsersRun many(op, 9000);
      for (int turn = 0; turn < turns; ++turn) many.loop.TurnOnce();
      REQUIRE_FALSE(many.run->done());
      many.run->Stop();
      many.loop.Turn();
      CHECK(many.run->Text().starts_with("cancelled: "));
    }
  }
}

/// The lists of many rows, `follow:7` holding 7 and 8; those of `bad` hold no id.
struct ManyListsRun {
  explicit ManyListsRun(int count, int bad = 0)
      : kv(loop, "kv", Lists(count, bad)), task("follow", R"({"endpoint":"kv","fields":[]})") {
    std::string rows = "[";
    for (int id = 1; id <= count; ++id) {
      rows += (id > 1 ? ",{\"id\":" : "{\"id\":") + std::to_string(id) + "}";
    }
    run.emplace(task, std::vector<RowSet>{MakeRows(rows + "]")}, kv, loop);
  }
  static std::string Lists(int count, int bad) {
    std::string lists;
    for (int id = 1; id <= count; ++id) {
      lists += (id > 1 ? ",\"follow:" : "{\"follow:") + std::to_string(id) + "\":[" +
               std::to_string(id) + "," + (id == bad ? "\"x\"" : std::to_string(id + 1)) + "]";
    }
    return lists + "}";
  }
  FakeLoop loop;
  FakeKv kv;
  OneTask task;
  std::optional<AsyncRun> run;
};

TEST_CASE("many lists are asked for in several pipelines, between which the loop turns") {
  constexpr int kLists = 20'000;
  ManyListsRun many(kLists);
  Rounds rounds(many.loop);
  while (!many.run->done()) {
    many.loop.TurnOnce();
    REQUIRE(rounds.count < Rounds::kMost);
  }
  CHECK(rounds.count >= 5);  // 40,000 entries
  const Result<RowSet> rows = many.run->Take();
  REQUIRE(rows.has_value());
  REQUIRE(rows->rows() == 2 * kLists);
  for (std::size_t row = 0; row < rows->rows(); ++row) {
    REQUIRE(rows->IdAt(row) == static_cast<std::int64_t>(1 + row / 2 + row % 2));
  }
  for (const int bad : {1, 4096, 4097, kLists}) {
    ManyListsRun broken(kLists, bad);
    broken.loop.Turn();
    CHECK(broken.run->Text() == "bad_data: Redis key \"follow:" + std::to_string(bad) +
                                    "\": the entry \"x\" is no 64-bit integer");
  }
  for (int turns = 0; turns < 4; ++turns) {
    ManyListsRun stopped(kLists);
    for (int turn = 0; turn < turns; ++turn) stopped.loop.TurnOnce();
    REQUIRE_FALSE(stopped.run->done());
    stopped.run->Stop();
    stopped.loop.Turn();
    CHECK(stopped.run->Text().starts_with("cancelled: "));
  }
}

TEST_CASE("a store that fails is the task's failure, at either pipeline") {
  const RowSet rows = MakeRows(R"([{"id":1}])");
  for (const bool second : {false, true}) {
    Store store;
    if (second) store.kv.NextAfter(Duration(0));
    store.kv.NextFails(ErrorCode::kRedisTimeout, "too slow", std::chrono::milliseconds(5));
    OneTask task("follow", R"({"endpoint":"kv"})");
    AsyncRun run(task, {rows}, store.kv, store.loop);
    CHECK_FALSE(run.done());
    store.loop.Advance(std::chrono::milliseconds(5));
    CHECK(run.Text() == "redis_timeout: too slow");
  }
}

TEST_CASE("a stopped task forgets the pipeline it waits for") {
  for (const std::string_view op : {"viewer", "follow", "features"}) {
    Store store;
    store.kv.NextIsDropped();
    OneTask task(op, R"({"endpoint":"kv","fields":["age"]})", op == "viewer" ? 0 : 1);
    std::vector<RowSet> inputs;
    if (op != "viewer") inputs.push_back(MakeRows(R"([{"id":1}])"));
    AsyncRun run(task, std::move(inputs), store.kv, store.loop, 1);
    CHECK_FALSE(run.done());
    run.Stop();
    CHECK(run.Text().starts_with("cancelled: "));
    CHECK(store.kv.pending() == 0);
  }
}

std::string RunScripted(std::string_view op, ReplyScript& script, std::string_view fields) {
  FakeLoop loop;
  ScriptedReplies kv;
  kv.Next(script);
  OneTask task(op, R"({"endpoint":"kv","fields":)" + std::string(fields) + "}",
               op == "viewer" ? 0 : 1);
  std::vector<RowSet> inputs;
  if (op != "viewer") inputs.push_back(MakeRows(R"([{"id":1}])"));
  AsyncRun run(task, std::move(inputs), kv, loop, 1);
  return run.Text();
}

TEST_CASE("replies of a kind that was not asked for are errors, never a crash") {
  const auto check = [](std::string_view op, ReplyScript& script, std::string_view code) {
    const std::string text = RunScripted(op, script, R"(["age","country"])");
    CAPTURE(op);
    CAPTURE(text);
    CHECK(text.starts_with(code));
  };
  for (const std::string_view op : {"viewer", "follow", "features"}) {
    check(op, ReplyScript().Root().Integer(7), "bad_data: ");
    check(op, ReplyScript().Root().Nil(), "bad_data: ");
    check(op, ReplyScript().Root().Status("OK"), "bad_data: ");
    check(op, ReplyScript().Root().String("x"), "bad_data: ");
    check(op, ReplyScript().Root().Error("ERR \xff odd"), "redis_error: ");
    check(op, ReplyScript().Root().Array(1).Error("ERR inside"),
          op == "viewer"   ? "bad_data: "
          : op == "follow" ? "redis_error: "
                           : "bad_data: ");
    ReplyScript none;
    check(op, none, "internal: ");
  }
  check("viewer", ReplyScript().Root().Array(3).String("age").String("1").String("country"),
        "bad_data: ");
  check("viewer", ReplyScript().Root().Array(2).String("age").Integer(1), "bad_data: ");
  check("viewer", ReplyScript().Root().Array(2).Status("age").String("1"), "bad_data: ");
  check("viewer", ReplyScript().Root().Array(2).Nil().String("1"), "bad_data: ");
  check("viewer", ReplyScript().Root().Array(2).Integer(1).String("1"), "bad_data: ");
  check("viewer", ReplyScript().Root().Array(2).String("age").Error("ERR inside"), "redis_error: ");
  check("features", ReplyScript().Root().Array(0), "bad_data: ");
  check("features", ReplyScript().Root().Array(3).Nil().Nil().Nil(), "bad_data: ");
  check("features", ReplyScript().Root().Array(2).Integer(1).Nil(), "bad_data: ");
  check("features", ReplyScript().Root().Array(2).Error("ERR inside").Nil(), "redis_error: ");
  check("follow", ReplyScript().Root().Array(2).String("1").Nil(), "bad_data: ");
  check("follow", ReplyScript().Root().Array(1).Integer(1), "bad_data: ");
}

TEST_CASE("bytes that are no UTF-8 are bad data for a string and never reach a message raw") {
  const std::string text = RunScripted(
      "features", ReplyScript().Root().Array(1).String("caf\xe9 \x01"), R"(["country"])");
  CHECK(text.starts_with("bad_data: "));
  CHECK(text.find("caf\\xe9 \\x01") != std::string::npos);
  CHECK(RunScripted("features", ReplyScript().Root().Array(1).String("caf\xc3\xa9"),
                    R"(["country"])") == "1 country=\"caf\xc3\xa9\"");
}

TEST_CASE("a field that HGETALL gives twice counts once") {
  CHECK(
      RunScripted("viewer",
                  ReplyScript().Root().Array(4).String("age").String("1").String("age").String("2"),
                  R"(["age"])") == "1 age=2");
}

TEST_CASE("fields defaults to country only where there is such a key") {
  const auto params = [](std::string_view op) {
    return ProblemsOf(op, R"({"endpoint":"kv","fields":["id"]})", op == "viewer" ? 0 : 1);
  };
  for (const std::string_view op : {"viewer", "follow", "recommendation", "media", "features"}) {
    REQUIRE(params(op).size() == 1);
    CHECK(params(op)[0].starts_with("/nodes/0/params/fields/0: "));
  }
  CHECK(ProblemsOf("features", R"({"endpoint":"kv","fields":["kept","n"]})")
            .front()
            .starts_with("/nodes/0/params/fields/0: "));
}

TEST_CASE("templates over rows of which only the id is known name no other key") {
  const std::vector<std::string> viewer =
      ProblemsOf("viewer", R"({"endpoint":"kv","key":"user:{country}"})", 0);
  REQUIRE(viewer.size() == 1);
  CHECK(viewer[0].starts_with("/nodes/0/params/key: "));
  const std::vector<std::string> follow =
      ProblemsOf("follow", R"({"endpoint":"kv","hydrate_key":"user:{n}:{id}"})");
  REQUIRE(follow.size() == 1);
  CHECK(follow[0].starts_with("/nodes/0/params/hydrate_key: "));
  CHECK(ProblemsOf("follow", R"({"endpoint":"kv","fanout":0})").size() == 1);
  CHECK(ProblemsOf("follow", R"({"endpoint":"kv","fanout":10000001})").size() == 1);
  CHECK(ProblemsOf("features", R"({"endpoint":"kv"})") ==
        std::vector<std::string>{R"(/nodes/0/params: the op "features" needs the param "fields")"});
}

}  // namespace
}  // namespace rankd
