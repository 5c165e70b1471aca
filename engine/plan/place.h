// Where in a document one is: a JSON pointer that is put together only when there is something to
// report, so that reading a million sound nodes builds no strings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankd {

/// A chain of steps on the stack: each place must not outlive its parent or its field's name.
class Place {
 public:
  /// The whole document.
  Place() = default;
  Place(const Place& parent, std::string_view field) : parent_(&parent), field_(field) {}
  Place(const Place& parent, std::size_t index)
      : parent_(&parent), index_(index), is_index_(true) {}

  /// "/nodes/1/params/expr"; "" for the whole document.
  std::string Pointer() const;

 private:
  const Place* parent_ = nullptr;
  std::string_view field_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace rankd
