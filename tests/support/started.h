// The root of a coroutine in a test: starts it and keeps its result.
#pragma once

#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/coro/co.h"

namespace rankd {

template <typename T>
class Started final : private CoCompletion {
 public:
  explicit Started(Co<T> co) : co_(std::move(co)) {
    if (co_.Start(*this)) OnCoDone();
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  bool done() const { return result_.has_value(); }
  T& result() {
    RANKD_CHECK(done());
    return *result_;
  }

 private:
  void OnCoDone() override { result_.emplace(co_.TakeResult()); }

  Co<T> co_;
  std::optional<T> result_;
};

}  // namespace rankd
