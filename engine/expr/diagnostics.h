// The problems found in one expression, and how they are told: with a column and a caret for text,
// with a JSON pointer for IR. Lives while one expression is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace rankd {

/// `name` as a JSON string for messages, cut where it is long.
std::string Quoted(std::string_view name);

/// DidYouMean, but nothing for names too long to be a slip of the pen.
std::string Suggestion(std::string_view name, std::span<const std::string_view> known);

/// A place in the source: a byte offset of the text, or the number of a pointer of the IR.
using SourcePlace = std::uint32_t;

class Diagnostics {
 public:
  /// For IR.
  Diagnostics() = default;
  /// For text, which must outlive this.
  explicit Diagnostics(std::string_view text) : text_(text), is_text_(true) {}

  /// Numbers a pointer, to be used as a place.
  SourcePlace AddPointer(std::string pointer);
  /// A pointer that was added.
  const std::string& PointerAt(SourcePlace place) const { return pointers_[place]; }

  void Report(SourcePlace place, std::string message);
  bool empty() const { return found_.empty(); }

  /// Appends what was reported, in the order of the source.
  void MoveTo(std::vector<Error>& problems);

 private:
  struct Found {
    SourcePlace place;
    std::size_t order;
    std::string message;
  };

  std::string_view text_;
  bool is_text_ = false;
  std::vector<std::string> pointers_;
  std::vector<Found> found_;
};

}  // namespace rankd
