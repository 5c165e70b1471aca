#include "tests/fuzz/problems.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace rankd::fuzz {
namespace {

std::string Unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    Require(i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1'),
            "a bad escape in a pointer");
    out += token[++i] == '0' ? '~' : '/';
  }
  return out;
}

/// The values below `at` that the token names: several where a field is given more than once.
void AppendBelow(const Json& at, const std::string& token, std::vector<const Json*>& below) {
  for (const JsonField& field : at.fields()) {
    if (field.name == token) below.push_back(&field.value);
  }
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error == std::errc() && stop == end && index < at.items().size()) {
    below.push_back(&at.items()[index]);
  }
}

}  // namespace

void RequireSoundProblem(const Json& root, std::string_view pointer, std::string_view message) {
  const std::string shown = std::string(pointer) + ": " + std::string(message);
  Require(pointer.empty() || pointer.front() == '/', "no pointer: " + shown);
  std::vector<const Json*> at = {&root};
  for (std::string_view rest = pointer; !rest.empty();) {
    Require(!at.empty(), "points below nothing: " + shown);
    const std::size_t end = rest.find('/', 1);
    std::vector<const Json*> below;
    for (const Json* value : at) AppendBelow(*value, Unescaped(rest.substr(1, end - 1)), below);
    at = std::move(below);
    rest = end == std::string_view::npos ? "" : rest.substr(end);
  }
  Require(!message.empty(), "no message at " + shown);
  const std::string told =
      FormatProblem("FILE", Problem{std::string(pointer), std::string(message)});
  Require(IsValidUtf8(told), "not UTF-8: " + told);
  Require(told.back() != '\n', "a blank line: " + told);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto byte = static_cast<unsigned char>(told[i]);
    if (byte == '\n') {
      Require(told.compare(i + 1, 4, "    ") == 0, "a line that is not indented: " + told);
    } else {
      const bool c1 = byte == 0xC2 && static_cast<unsigned char>(told[i + 1]) < 0xA0;
      Require(byte >= 0x20 && byte != 0x7F && !c1, "a control character: " + told);
    }
  }
}

void RequireSoundProblems(const Json& root, const Problems& problems) {
  for (const Problem& problem : problems.all()) {
    RequireSoundProblem(root, problem.pointer, problem.message);
  }
}

}  // namespace rankd::fuzz
