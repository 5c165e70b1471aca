// Cancellation, in two kinds: StopSource for coroutines on one loop (callbacks, no atomics), and
// StopFlag for CPU work that looks now and then from a pool thread.
#pragma once

#include <atomic>

namespace rankd {

class StopSource;

/// Something to tell when a StopSource is stopped. Lives on one loop thread, unregisters itself
/// when destroyed.
class StopCallback {
 public:
  StopCallback() = default;
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;
  virtual ~StopCallback() { Detach(); }

  /// Called once, unregistered already; may destroy this and register or unregister others.
  virtual void OnStop() = 0;

  bool attached() const { return source_ != nullptr; }
  void Detach();

 private:
  friend class StopSource;
  StopSource* source_ = nullptr;
  StopCallback* previous_ = nullptr;
  StopCallback* next_ = nullptr;
};

/// The stop signal of one piece of loop work (a node, an activation). One loop thread.
/// Must outlive what is registered with it, or be destroyed after all of it has detached.
class StopSource {
 public:
  StopSource() = default;
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;
  ~StopSource();

  bool stopped() const { return stopped_; }

  /// Registers; false (and not registered) if it is stopped already.
  [[nodiscard]] bool Attach(StopCallback& callback);

  /// Tells every callback, each once, the latest first. The second call does nothing.
  void Stop();

  /// Ready for another use; nothing may be registered.
  void Reset();

 private:
  friend class StopCallback;
  StopCallback* head_ = nullptr;
  bool stopped_ = false;
};

/// Set by the loop, read by pool threads between blocks of rows.
class StopFlag {
 public:
  void Request() { flag_.store(true, std::memory_order_relaxed); }
  /// For another use, when nobody reads it any more.
  void Reset() { flag_.store(false, std::memory_order_relaxed); }
  bool requested() const { return flag_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> flag_{false};
};

/// What CPU work is given: a StopFlag that may be absent. Must not outlive the flag.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(const StopFlag& flag) : flag_(&flag) {}
  bool stop_requested() const { return flag_ != nullptr && flag_->requested(); }

 private:
  const StopFlag* flag_ = nullptr;
};

}  // namespace rankd
