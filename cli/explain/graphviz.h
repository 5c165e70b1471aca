// SVG by Graphviz' `dot`, which is another program and need not be there.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace rankd {

/// Runs `program -Tsvg` (found on the PATH, no shell in between) over `graph`, a text in the DOT
/// language, and gives what it prints. It is killed when it takes longer than `limit`. The error is
/// a sentence: that it is not installed and which package has it, what it complained of, that it
/// was too slow.
std::expected<std::string, std::string> RenderSvg(std::string_view graph,
                                                  std::chrono::milliseconds limit,
                                                  const std::string& program = "dot");

/// Puts `text` into the file at `path`, all of it or none: an older file stays as it is where that
/// fails, and a link to it a link. What is no regular file (a pipe, a terminal) is written to as it
/// is. The error is what the system says.
std::expected<void, std::string> ReplaceFile(const std::string& path, std::string_view text);

}  // namespace rankd
