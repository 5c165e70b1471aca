// Where a bench's answers go: the way they take in a stream, as far as /dev/null.
#pragma once

#include <string>

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

/// Answers are written and thrown away, by a thread as in a stream: handing them over is part of
/// what a request costs.
class NullSink final : public AnswerSink {
 public:
  /// Throws std::system_error where /dev/null cannot be opened.
  NullSink(Loop& loop, OutputListener& listener);
  NullSink(const NullSink&) = delete;
  NullSink& operator=(const NullSink&) = delete;
  ~NullSink() override;

  std::string& buffer() override { return writer_.buffer(); }
  void Flush() override { writer_.Flush(); }
  bool writing() const override { return writer_.writing(); }

 private:
  const int descriptor_;
  OutputWriter writer_;
};

}  // namespace rankd
