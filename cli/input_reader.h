// Reads stdin, a block at a time and only when asked, with the descriptor left in the mode the
// shell gave it: a reader that is ahead of the requests in flight does not read on. What is there
// already is taken at once; the wait for more is a thread's, so that it never holds up the loop.
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
  InputReader(int descriptor, Loop& loop, InputListener& listener);
  /// Stops the thread, also in the middle of waiting for input. The loop must not turn any more, or
  /// no block be asked for.
  ~InputReader() override;

  /// One call of the listener follows, in a later round of the loop. At most one block is asked for
  /// at a time.
  void RequestBlock();
  bool reading() const { return reading_; }

 private:
  /// Takes what the system has at hand; false where there is nothing yet, or where it cannot tell.
  bool ReadAtOnce();
  /// On the first wait. An errno where the system refuses a thread or a descriptor.
  int StartThread();
  /// What a read has brought: `bytes`, or their end (0), or an errno.
  void Take(std::size_t bytes, int error);
  void ReadBlocks();
  /// False when told to stop.
  bool ReadOne();
  void OnLoop() override;

  const int descriptor_;
  Loop& loop_;
  InputListener& listener_;
  int wake_descriptor_ = -1;  ///< eventfd: ends a wait for input. The thread's.
  bool reading_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;    ///< Guarded by mutex_.
  bool stopping_ = false;  ///< Guarded by mutex_.

  // Written by whoever reads while reading_, read by the loop after the post.
  const std::unique_ptr<char[]> block_;  ///< Memory that nothing has been written to costs nothing.
  std::size_t block_bytes_ = 0;
  int error_ = 0;
  bool ended_ = false;

  std::thread thread_;  ///< From the first wait on: many a stream ends without one.
};

}  // namespace rankd
