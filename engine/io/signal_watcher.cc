#include "engine/io/signal_watcher.h"

#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

#include <uv.h>

#include "engine/base/check.h"

namespace rankd {

struct SignalWatcher::State {
  std::function<void(int)> on_signal;
  std::vector<std::unique_ptr<uv_signal_t>> handles;
  std::size_t open = 0;
};

SignalWatcher::SignalWatcher(UvLoop& loop, std::initializer_list<int> signals,
                             std::function<void(int)> on_signal)
    : state_(new State) {
  state_->on_signal = std::move(on_signal);
  for (const int signal : signals) {
    auto handle = std::make_unique<uv_signal_t>();
    handle->data = state_;
    // Takes a pipe the first time, for which there may be no descriptors left.
    if (const int status = uv_signal_init(loop.uv(), handle.get()); status < 0) {
      delete state_;
      throw std::system_error(-status, std::generic_category(), "signals");
    }
    RANKD_CHECK(uv_signal_start(
                    handle.get(),
                    [](uv_signal_t* self, int number) {
                      static_cast<State*>(self->data)->on_signal(number);
                    },
                    signal) == 0);
    state_->handles.push_back(std::move(handle));
  }
  state_->open = state_->handles.size();
}

SignalWatcher::~SignalWatcher() {
  for (const auto& handle : state_->handles) {
    uv_signal_stop(handle.get());
    uv_close(reinterpret_cast<uv_handle_t*>(handle.get()), [](uv_handle_t* self) {
      State* state = static_cast<State*>(self->data);
      if (--state->open == 0) delete state;
    });
  }
}

}  // namespace rankd
