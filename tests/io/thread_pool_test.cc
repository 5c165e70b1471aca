#include "engine/io/thread_pool.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>

#include "tests/support/fake_executor.h"

namespace rankd {
namespace {

class CallJob final : public PoolJob {
 public:
  CallJob() = default;
  explicit CallJob(std::function<void()> call) : call_(std::move(call)) {}
  void set(std::function<void()> call) { call_ = std::move(call); }
  void Execute(std::uint32_t) override { call_(); }

 private:
  std::function<void()> call_;
};

TEST_CASE("a pool without work has no threads, and one job makes one") {
  ThreadPool pool(8);
  CHECK(pool.thread_limit() == 8);
  CHECK(pool.threads_started() == 0);
  std::promise<std::thread::id> ran_on;
  CallJob job([&] { ran_on.set_value(std::this_thread::get_id()); });
  pool.Submit(job);
  CHECK(ran_on.get_future().get() != std::this_thread::get_id());
  CHECK(pool.threads_started() == 1);
}

#ifndef RANKD_SANITIZED  // which need room for their shadows
TEST_CASE("where the system has no thread to give, the caller does the work") {
  // Stacks larger than what is left of the address space, and than any that is kept for reuse.
  pthread_attr_t usual;
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  pthread_attr_t large;
  REQUIRE(pthread_attr_init(&large) == 0);
  REQUIRE(pthread_attr_setstacksize(&large, std::size_t{8} << 30) == 0);
  REQUIRE(pthread_setattr_default_np(&large) == 0);
  rlimit unlimited{};
  REQUIRE(getrlimit(RLIMIT_AS, &unlimited) == 0);
  rlimit tight = unlimited;
  tight.rlim_cur = rlim_t{4} << 30;
  REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  ThreadPool pool(2);
  std::thread::id ran_on;
  CallJob job([&] { ran_on = std::this_thread::get_id(); });
  pool.Submit(job);
  CHECK(ran_on == std::this_thread::get_id());
  CHECK(pool.threads_started() == 0);
  REQUIRE(setrlimit(RLIMIT_AS, &unlimited) == 0);
  REQUIRE(pthread_setattr_default_np(&usual) == 0);
  // A pool goes on with threads when there are some again.
  std::promise<std::thread::id> later;
  CallJob next([&] { later.set_value(std::this_thread::get_id()); });
  pool.Submit(next);
  CHECK(later.get_future().get() != std::this_thread::get_id());
}
#endif

TEST_CASE("a pool of no threads has one") { CHECK(ThreadPool(0).thread_limit() == 1); }

TEST_CASE("one thread runs jobs in the order of submission") {
  std::vector<int> ran;
  std::vector<std::unique_ptr<CallJob>> jobs;
  {
    ThreadPool pool(1);
    for (int i = 0; i < 100; ++i) {
      jobs.push_back(std::make_unique<CallJob>([&ran, i] { ran.push_back(i); }));
      pool.Submit(*jobs.back());
    }
  }
  REQUIRE(ran.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(ran[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("jobs run side by side, on no more threads than the limit") {
  // Each waits until all have begun: they end only if there is a thread for each.
  constexpr int kThreads = 4;
  std::atomic<int> begun = 0;
  std::vector<std::unique_ptr<CallJob>> jobs;
  {
    ThreadPool pool(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      jobs.push_back(std::make_unique<CallJob>([&] {
        ++begun;
        while (begun < kThreads) std::this_thread::yield();
      }));
      pool.Submit(*jobs.back());
    }
    CallJob one_more([&] { ++begun; });
    pool.Submit(one_more);
    while (begun < kThreads + 1) std::this_thread::yield();
    CHECK(pool.threads_started() == kThreads);
  }
}

TEST_CASE("the destructor runs what is queued, and what that submits") {
  std::atomic<int> ran = 0;
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future().share();
  CallJob grandchild([&] { ++ran; });
  CallJob child;
  CallJob blocker([&] {
    gate.wait();
    ++ran;
  });
  std::thread opener;
  {
    ThreadPool pool(1);
    child.set([&] {
      ++ran;
      pool.Submit(grandchild);
    });
    pool.Submit(blocker);
    pool.Submit(child);
    opener = std::thread([&] { go.set_value(); });
  }
  opener.join();
  CHECK(ran == 3);
}

TEST_CASE("jobs from many threads all run") {
  constexpr int kThreads = 4;
  constexpr int kJobs = 5000;
  std::atomic<int> ran = 0;
  std::vector<std::unique_ptr<CallJob>> jobs;
  for (int i = 0; i < kThreads * kJobs; ++i) {
    jobs.push_back(std::make_unique<CallJob>([&] { ++ran; }));
  }
  {
    ThreadPool pool(3);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kJobs; ++i) pool.Submit(*jobs[static_cast<std::size_t>(t * kJobs + i)]);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(ran == kThreads * kJobs);
}

TEST_CASE("the fake executors run jobs at once, or one at a time") {
  int ran = 0;
  CallJob first([&] { ++ran; });
  CallJob second([&] { ran += 10; });
  InlineExecutor at_once;
  at_once.Submit(first);
  CHECK(ran == 1);
  StepExecutor stepwise;
  stepwise.Submit(first);
  stepwise.Submit(second);
  CHECK(ran == 1);
  CHECK(stepwise.RunOne());
  CHECK(ran == 2);
  stepwise.RunAll();
  CHECK(ran == 12);
  CHECK_FALSE(stepwise.RunOne());
}

}  // namespace
}  // namespace rankd
