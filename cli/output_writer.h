// Writes stdout on a thread of its own: a slow reader holds up the answers, not the timers of the
// requests in flight, and the descriptor keeps the mode the shell gave it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/io/loop.h"

namespace rankd {

class OutputListener {
 public:
  /// All bytes of one Flush have been written (error 0), or writing failed with that errno.
  virtual void OnWritten(int error) = 0;

 protected:
  ~OutputListener() = default;
};

/// All methods on the loop thread; the listener is called there. Two buffers: the loop appends to
/// one while the thread writes the other.
class OutputWriter final : private LoopTask {
 public:
  OutputWriter(int descriptor, Loop& loop, OutputListener& listener);
  /// Waits for a write in progress.
  ~OutputWriter() override;

  /// Where the next answers go. Whole lines only.
  std::string& buffer() { return filling_; }
  /// Hands the buffer over; nothing may be being written.
  void Flush();
  bool writing() const { return busy_; }

 private:
  void WriteBuffers();
  /// 0 or an errno.
  int WriteAll(const std::string& bytes) const;
  void OnLoop() override;

  const int descriptor_;
  Loop& loop_;
  OutputListener& listener_;
  std::string filling_;
  std::string writing_;  ///< The thread's while busy_.
  bool busy_ = false;
  int error_ = 0;  ///< Written by the thread before its post.

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;    ///< Guarded by mutex_.
  bool stopping_ = false;  ///< Guarded by mutex_.
  std::thread thread_;
};

}  // namespace rankd
