// Where a bench's answers go: the way they take in a stream, to somebody who throws them away.
#pragma once

#include <string>
#include <thread>

#include "cli/output_writer.h"
#include "engine/io/loop.h"

namespace rankd {

/// The part of OutputWriter that a bench needs, so that tests can do without its thread. Loop
/// thread only; an OutputListener is told what was written.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  /// Where the next answers go. Whole lines only.
  virtual std::string& buffer() = 0;
  /// Hands the buffer over; nothing may be being written.
  virtual void Flush() = 0;
  virtual bool writing() const = 0;
};

/// A pipe, written as stdout is, with a thread at its other end that reads and forgets: handing
/// answers to the writer and waking a reader is part of what a request of a stream costs, and of a
/// cheap plan not the smaller part.
class DrainedPipe final : public AnswerSink {
 public:
  /// Throws std::system_error where the system refuses descriptors or threads.
  DrainedPipe(Loop& loop, OutputListener& listener);
  DrainedPipe(const DrainedPipe&) = delete;
  DrainedPipe& operator=(const DrainedPipe&) = delete;
  /// Waits for a write in progress.
  ~DrainedPipe() override;

  std::string& buffer() override { return writer_.buffer(); }
  void Flush() override { writer_.Flush(); }
  bool writing() const override { return writer_.writing(); }

 private:
  struct Ends {
    int read;
    int write;
  };
  static Ends Open();

  const Ends ends_;
  OutputWriter writer_;
  std::thread reader_;
};

}  // namespace rankd
