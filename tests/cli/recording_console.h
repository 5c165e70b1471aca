// A Console whose two streams are strings.
#pragma once

#include <string>
#include <string_view>

#include "cli/console.h"

namespace rankd {

class StringSink final : public TextSink {
 public:
  void Write(std::string_view written) override { text += written; }
  std::string text;
};

struct RecordingConsole {
  explicit RecordingConsole(Console::Look look = {}) : console(out, err, look) {}

  StringSink out;
  StringSink err;
  Console console;
};

}  // namespace rankd
