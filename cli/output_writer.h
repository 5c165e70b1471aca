// Writes stdout so that a slow reader holds up the answers, not the timers of the requests in
// flight, and the descriptor keeps the mode the shell gave it: what is taken at once is written at
// once, if it is not much, the rest by a thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <sys/types.h>

#include "engine/io/loop.h"

namespace rankd {

class OutputListener {
 public:
  /// All bytes of one Flush have been written (error 0), or writing failed with that errno.
  virtual void OnWritten(int error) = 0;

 protected:
  ~OutputListener() = default;
};

/// All methods on the loop thread; the listener is called there, in a later round. Two buffers: the
/// loop appends to one while the thread writes the other.
///
/// Lines are written whole. What has a reader (a pipe, a socket, a terminal) is given them whole as
/// long as a pipe takes them so (PIPE_BUF), and longer ones in steps of that; when the system takes
/// no more of a regular file (a full disk), a line it has taken in part is taken back.
class OutputWriter final : private LoopTask {
 public:
  OutputWriter(int descriptor, Loop& loop, OutputListener& listener);
  /// Waits for a write in progress.
  ~OutputWriter() override;
  /// The same, before its destructor; nothing may be called after it.
  void Finish();

  /// Where the next answers go. Whole lines only.
  std::string& buffer() { return filling_; }
  /// Hands the buffer over; nothing may be being written.
  void Flush();
  bool writing() const { return busy_; }

  /// Ends the write in progress after the line it is in and drops the rest; OnWritten tells when.
  /// Nothing may be flushed after it.
  void StopAtLineEnd() { stop_at_line_end_.store(true); }
  /// How many bytes have been taken: by the reader as far as the system tells, else by the system.
  /// What tells a slow reader from one that is stuck.
  std::uint64_t taken() const;

 private:
  OutputWriter(int descriptor, mode_t mode, Loop& loop, OutputListener& listener);
  /// Writes what the system takes without waiting, and says whether that is all.
  bool WriteAtOnce();
  /// On the first wait. False where the system refuses a thread.
  bool StartThread();
  void WriteBuffers();
  /// What WriteAtOnce has left of writing_. 0 or an errno.
  int WriteRest();
  /// How many bytes the next write is for: whole lines where that is possible.
  std::size_t NextStep(const std::string& bytes, std::size_t from) const;
  /// Cuts what stands of an unfinished line off a regular file.
  void TakeBackPartialLine(const std::string& bytes, std::size_t written) const;
  void OnLoop() override;

  const int descriptor_;
  /// What asks how much the reader has not taken yet; 0 where there is no reader.
  const unsigned long unread_request_;
  const std::size_t at_once_;  ///< More than this is the thread's from the start.
  Loop& loop_;
  OutputListener& listener_;
  std::string filling_;
  std::string writing_;    ///< The thread's while busy_.
  std::size_t begun_ = 0;  ///< How much of it was written at once.
  bool busy_ = false;
  int error_ = 0;  ///< Written by the thread before its post.
  std::atomic<bool> stop_at_line_end_ = false;
  std::atomic<std::uint64_t> written_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;    ///< Guarded by mutex_.
  bool stopping_ = false;  ///< Guarded by mutex_.
  std::thread thread_;     ///< From the first wait on: many a stream ends without one.
};

}  // namespace rankd
