#include "engine/expr/diagnostics.h"

#include <algorithm>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/suggest.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

constexpr std::size_t kLongestName = 80;
/// Characters shown on each side of the caret when a text is too long to be shown whole.
constexpr std::size_t kShownEachSide = 70;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// `end` moved back to where a character begins.
std::size_t CharacterStart(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && IsContinuation(text[at])) --at;
  return at;
}

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::size_t Back(std::string_view text, std::size_t from, std::size_t characters) {
  while (from > 0 && characters > 0) {
    from = CharacterStart(text, from - 1);
    --characters;
  }
  return from;
}

std::size_t Forward(std::string_view text, std::size_t from, std::size_t characters) {
  while (from < text.size() && characters > 0) {
    ++from;
    while (from < text.size() && IsContinuation(text[from])) ++from;
    --characters;
  }
  return from;
}

/// Two lines: the text around `at` on one line, and a caret under it.
std::string Excerpt(std::string_view text, std::size_t at, bool valid_utf8) {
  const std::size_t begin = Back(text, at, kShownEachSide);
  const std::size_t end = Forward(text, at, kShownEachSide);
  std::string line = begin > 0 ? "…" : "";
  for (std::size_t i = begin; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xC2 && i + 1 < end && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (!valid_utf8 && byte >= 0x80) {
      if (!IsContinuation(text[i])) line += '?';
    } else if (byte < 0x20 || byte == 0x7F || c1) {  // a control character; C1 has two bytes
      line += ' ';
      if (c1) ++i;
    } else {
      line += text[i];
    }
  }
  if (end < text.size()) line += "…";
  const std::size_t before =
      (begin > 0 ? 1U : 0U) + CountCharacters(text.substr(begin, at - begin));
  return "\n  " + line + "\n  " + std::string(before, ' ') + "^";
}

}  // namespace

std::string Quoted(std::string_view name) {
  std::string out;
  if (name.size() <= kLongestName) {
    AppendJsonString(out, name);
    return out;
  }
  AppendJsonString(out, name.substr(0, CharacterStart(name, kLongestName)));
  out.insert(out.size() - 1, "…");
  return out;
}

std::string Suggestion(std::string_view name, std::span<const std::string_view> known) {
  return name.size() <= kLongestName ? DidYouMean(name, known) : std::string();
}

SourcePlace Diagnostics::AddPointer(std::string pointer) {
  pointers_.push_back(std::move(pointer));
  return static_cast<SourcePlace>(pointers_.size() - 1);
}

void Diagnostics::Report(SourcePlace place, std::string message) {
  found_.push_back(Found{place, found_.size(), std::move(message)});
}

void Diagnostics::MoveTo(std::vector<Error>& problems) {
  // std::stable_sort of libstdc++ 12 warns under clang; the order of reports breaks ties as well.
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    return a.place != b.place ? a.place < b.place : a.order < b.order;
  });
  if (!is_text_) {
    for (Found& found : found_) {
      problems.push_back(
          Error(ErrorCode::kInvalidPlan, std::move(found.message)).At(pointers_[found.place]));
    }
    return;
  }
  // Columns are counted in one walk over the text, however many problems there are.
  const bool valid_utf8 = IsValidUtf8(text_);
  std::size_t walked = 0;
  std::size_t column = 1;
  for (const Found& found : found_) {
    const std::size_t at = CharacterStart(text_, std::min<std::size_t>(found.place, text_.size()));
    column += CountCharacters(text_.substr(walked, at - walked));
    walked = at;
    problems.emplace_back(
        ErrorCode::kInvalidPlan,
        "column " + std::to_string(column) + ": " + found.message + Excerpt(text_, at, valid_utf8));
  }
}

}  // namespace rankd
