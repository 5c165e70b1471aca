// sleep and busy_cpu.
#include <chrono>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/fake_kv.h"
#include "tests/tasks/one_task.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kTimed = R"([{"id":5,"n":1},{"id":3,"n":2}])";

TEST_CASE("sleep gives its input after that long on the loop's clock") {
  FakeLoop loop;
  FakeKv kv(loop, "kv");
  OneTask sleep("sleep", R"({"duration_ms":300})");
  AsyncRun run(sleep, {Select(MakeRows(kTimed), {1, 0})}, kv, loop);
  CHECK_FALSE(run.done());
  loop.Advance(milliseconds(300) - Duration(1));
  CHECK_FALSE(run.done());
  loop.Advance(Duration(1));
  CHECK(run.Text() == "3 n=2 | 5 n=1");
}

TEST_CASE("sleep may have no input, an expression for its time, and a failure at its end") {
  FakeLoop loop;
  FakeKv kv(loop, "kv");
  OneTask alone("sleep", R"({"duration_ms":1})", 0);
  AsyncRun first(alone, {}, kv, loop);
  OneTask counted("sleep", R"({"duration_ms":{"expr":"count() * 10"}})");
  AsyncRun second(counted, {MakeRows(kTimed)}, kv, loop);
  OneTask failing("sleep", R"({"duration_ms":5,"fail_after_sleep":true})");
  AsyncRun third(failing, {MakeRows(kTimed)}, kv, loop);
  loop.Advance(milliseconds(19));
  CHECK(first.Text() == "");
  CHECK(third.Text().starts_with("task_failed: "));
  CHECK_FALSE(second.done());
  loop.Advance(milliseconds(1));
  CHECK(second.Text() == "5 n=1 | 3 n=2");
}

TEST_CASE("sleep ends at once when it is stopped, before or after it began") {
  FakeLoop loop;
  FakeKv kv(loop, "kv");
  OneTask sleep("sleep", R"({"duration_ms":300})");
  AsyncRun run(sleep, {MakeRows(kTimed)}, kv, loop);
  CHECK(loop.armed_timers() == 1);
  run.Stop();
  CHECK(run.Text().starts_with("cancelled: "));
  CHECK(loop.armed_timers() == 0);
}

TEST_CASE("sleep refuses times out of range") {
  CHECK(ProblemsOf("sleep", R"({"duration_ms":-1})").size() == 1);
  CHECK(ProblemsOf("sleep", R"({"duration_ms":9007199254740993})").size() == 1);
  CHECK(ProblemsOf("sleep", R"({"duration_ms":1,"fail_after_sleep":"yes"})").size() == 1);
  CHECK(ProblemsOf("sleep", "{}").size() == 1);
}

TEST_CASE("busy_cpu gives its input, always on a pool thread") {
  OneTask busy("busy_cpu", R"({"busy_wait_ms":0})");
  CHECK(busy.cpu().placement() == Placement::kPool);
  CHECK(busy.Text({MakeRows(kTimed)}) == "5 n=1 | 3 n=2");
  CHECK(OneTask("busy_cpu", R"j({"busy_wait_ms":{"expr":"count()"}})j", 0).Text({}) == "");
}

TEST_CASE("busy_cpu stops when it is told to") {
  StopFlag flag;
  flag.Request();
  OneTask busy("busy_cpu", R"({"busy_wait_ms":2147483647})");
  const Result<RowSet> result = busy.Run({MakeRows(kTimed)}, StopToken(flag));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace rankd
