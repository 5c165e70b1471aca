// Reads stdin on a thread of its own, a block at a time and only when asked, with the descriptor
// left in the mode the shell gave it: a blocking read never holds up the loop, and a reader that is
// ahead of the requests in flight does not read on.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/io/loop.h"

namespace rankd {

class InputListener {
 public:
  /// `bytes` are valid until the next RequestBlock.
  virtual void OnInput(std::string_view bytes) = 0;
  /// End of file (error 0), or the errno of a failed read. Nothing comes after it.
  virtual void OnInputEnd(int error) = 0;

 protected:
  ~InputListener() = default;
};

/// All methods on the loop thread; the listener is called there.
class InputReader final : private LoopTask {
 public:
  /// Throws std::system_error where the system refuses a thread or a descriptor.
  InputReader(int descriptor, Loop& loop, InputListener& listener);
  /// Stops the thread, also in the middle of waiting for input. The loop must not turn any more, or
  /// no block be asked for.
  ~InputReader() override;

  /// One call of the listener follows. At most one block is asked for at a time.
  void RequestBlock();
  bool reading() const { return reading_; }

 private:
  void ReadBlocks();
  /// False when told to stop.
  bool ReadOne();
  void OnLoop() override;

  const int descriptor_;
  Loop& loop_;
  InputListener& listener_;
  int wake_descriptor_;  ///< eventfd: ends a wait for input.
  bool reading_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;    ///< Guarded by mutex_.
  bool stopping_ = false;  ///< Guarded by mutex_.

  // Written by the thread while reading_, read by the loop after its post.
  const std::unique_ptr<char[]> block_;  ///< Memory that nothing has been written to costs nothing.
  std::size_t block_bytes_ = 0;
  int error_ = 0;
  bool ended_ = false;

  std::thread thread_;
};

}  // namespace rankd
