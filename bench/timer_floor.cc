// Bare libuv timers under the load of deadlines.py: how late they are called, as the floor for
// deadlines. As many timers are armed at any time as requests are in flight there, each for 5 to
// 50 ms; a timer that fires is armed again. Threads that spin beside the loop stand for the pool's.
//
// usage: timer_floor [--timers N] [--armed N] [--spin THREADS] [--round_up 1]
//
// Prints one line of JSON: p50_us, p90_us, p99_us, p999_us, most_us of the time from when a timer
// was due until it was called. A timer counts from the moment it was armed, as a deadline does.
// libuv counts whole milliseconds of its loop's time, so that a timer may be called up to one too
// early (`early` is the part that was). With --round_up each gets a millisecond more and none is.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include <uv.h>

namespace {

class Timers {
 public:
  Timers(std::size_t timers, std::size_t armed, std::uint64_t round_up_ms)
      : left_(timers), round_up_ms_(round_up_ms), slots_(armed) {
    uv_loop_init(&loop_);
    lateness_us_.reserve(timers);
    for (Slot& slot : slots_) {
      slot.owner = this;
      uv_timer_init(&loop_, &slot.timer);
      slot.timer.data = &slot;
    }
  }
  ~Timers() { uv_loop_close(&loop_); }

  /// How late each was, sorted.
  std::vector<double> Run() {
    for (Slot& slot : slots_) Arm(slot);
    uv_run(&loop_, UV_RUN_DEFAULT);
    for (Slot& slot : slots_) uv_close(reinterpret_cast<uv_handle_t*>(&slot.timer), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    std::ranges::sort(lateness_us_);
    return std::move(lateness_us_);
  }

 private:
  struct Slot {
    Timers* owner = nullptr;
    uv_timer_t timer{};
    std::uint64_t due_ns = 0;
  };

  void Arm(Slot& slot) {
    if (left_ == 0) return;
    --left_;
    const std::uint64_t limit_ms = 5 + random_() % 46;
    slot.due_ns = uv_hrtime() + limit_ms * 1'000'000;
    uv_update_time(&loop_);
    uv_timer_start(
        &slot.timer, [](uv_timer_t* timer) { Fired(*static_cast<Slot*>(timer->data)); },
        limit_ms + round_up_ms_, 0);
  }
  static void Fired(Slot& slot) {
    const auto late = static_cast<double>(static_cast<std::int64_t>(uv_hrtime() - slot.due_ns));
    slot.owner->lateness_us_.push_back(late / 1e3);
    slot.owner->Arm(slot);
  }

  uv_loop_t loop_{};
  std::size_t left_;
  std::uint64_t round_up_ms_;
  std::vector<Slot> slots_;
  std::vector<double> lateness_us_;
  std::mt19937 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t timers = 10'000;
  std::size_t armed = 64;
  std::size_t spinning = 0;
  std::size_t round_up_ms = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::size_t value = std::strtoul(argv[i + 1], nullptr, 10);
    if (flag == "--timers") timers = value;
    if (flag == "--armed") armed = value;
    if (flag == "--spin") spinning = value;
    if (flag == "--round_up") round_up_ms = value;
  }
  std::atomic<bool> over = false;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < spinning; ++i) {
    threads.emplace_back([&over] {
      while (!over.load(std::memory_order_relaxed)) (void)std::chrono::steady_clock::now();
    });
  }
  const std::vector<double> late = Timers(timers, armed, round_up_ms).Run();
  over = true;
  if (late.empty()) return 1;
  const auto at = [&](double part) {
    return late[static_cast<std::size_t>(static_cast<double>(late.size() - 1) * part)];
  };
  const auto early = static_cast<double>(std::ranges::lower_bound(late, 0.0) - late.begin());
  std::printf(
      "{\"timers\":%zu,\"early\":%.3f,\"p50_us\":%.0f,\"p90_us\":%.0f,\"p99_us\":%.0f,\"p999_us\":%"
      ".0f,"
      "\"most_us\":%.0f}\n",
      late.size(), early / static_cast<double>(late.size()), at(0.5), at(0.9), at(0.99), at(0.999),
      late.back());
}
