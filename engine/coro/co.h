// Co<T>: the one coroutine type. Lazy (starts when awaited), move-only, awaited once, resumed only
// on its loop's thread.
//
// Awaiting starts the child inline and suspends the parent only if the child did not finish: with
// `bool await_suspend`, so that a loop over a million children that finish at once uses one stack
// frame in every build. (Symmetric transfer would be a tail call only in optimised builds of some
// compilers.)
//
// What a coroutine throws is thrown where its result is taken: in the parent at its `co_await`, at
// the root by TakeResult. Memory that runs out is the case in mind.
//
// Mind g++ 12, which destroys some temporaries of a full expression with `co_await` twice: name
// aggregates and capturing lambdas first, then `co_await f(std::move(named))`. Parameters of
// coroutines are taken by value, apart from what the run owns. It also evaluates the `co_await` of
// `co_return c ? x : co_await y` whatever c is: use an if.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "engine/base/check.h"

namespace rankd {

/// Told when a coroutine that was started (not awaited) has ended.
class CoCompletion {
 public:
  /// Once, on the loop thread, only if Start returned false. May destroy the Co.
  virtual void OnCoDone() = 0;

 protected:
  ~CoCompletion() = default;
};

template <typename T>
class [[nodiscard]] Co {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Co(Co&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Co& operator=(Co&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Co(const Co&) = delete;
  Co& operator=(const Co&) = delete;
  /// Must not be destroyed between its start and its end: cancel it through its StopSource and
  /// await it.
  ~Co() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    Handle child;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> parent) {
      promise_type& promise = child.promise();
      child.resume();
      if (promise.ended()) return false;  // finished inline: the parent goes on without suspending
      promise.parent = parent;
      return true;
    }
    T await_resume() { return child.promise().Take(); }
  };
  Awaiter operator co_await() && {
    RANKD_CHECK(handle_);
    return Awaiter{handle_};
  }

  /// The root of a chain of coroutines: starts it without a parent. True when it has ended already;
  /// else `completion` is told later. The Co must be kept until then.
  bool Start(CoCompletion& completion) {
    promise_type& promise = handle_.promise();
    handle_.resume();
    if (promise.ended()) return true;
    promise.completion = &completion;
    return false;
  }
  /// After the end of a started coroutine; throws what it has thrown.
  T TakeResult() { return handle_.promise().Take(); }
  bool valid() const { return static_cast<bool>(handle_); }

  struct promise_type {
    std::coroutine_handle<> parent;
    CoCompletion* completion = nullptr;
    std::optional<T> value;
    std::exception_ptr exception;  ///< Instead of the value.

    bool ended() const { return value || exception; }
    T Take() {
      if (exception) std::rethrow_exception(std::exchange(exception, nullptr));
      return std::move(*value);
    }

    Co get_return_object() { return Co(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct FinalAwaiter {
      bool await_ready() const noexcept { return false; }
      // Resuming the parent from here nests one frame per level of awaiting, never per child: a
      // child that finished inline has no parent set.
      void await_suspend(Handle handle) noexcept {
        const promise_type& ended = handle.promise();
        if (ended.parent) {
          // A copy: resuming the parent may destroy this frame.
          const std::coroutine_handle<> waiter = ended.parent;
          waiter.resume();
        } else if (CoCompletion* told = ended.completion) {
          told->OnCoDone();
        }
      }
      void await_resume() const noexcept {}
    };
    FinalAwaiter final_suspend() noexcept { return {}; }
    template <typename U>
    void return_value(U&& result) {
      value.emplace(std::forward<U>(result));
    }
    void unhandled_exception() noexcept { exception = std::current_exception(); }
  };

 private:
  explicit Co(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace rankd
