// Signals as events of the loop.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "engine/io/uv_loop.h"

namespace rankd {

/// While it lives, the given signals do not kill the process: `on_signal(number)` is called on the
/// loop thread instead. Owned by whoever runs the loop; loop thread only.
class SignalWatcher {
 public:
  SignalWatcher(UvLoop& loop, std::initializer_list<int> signals,
                std::function<void(int)> on_signal);
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;
  /// The handles close in the loop's next turns, at the latest in its destructor.
  ~SignalWatcher();

 private:
  struct State;
  State* state_;  ///< Deletes itself when its last handle has closed.
};

}  // namespace rankd
