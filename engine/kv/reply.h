// Replies of a key-value store: flat, in pre-order, without an allocation per element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kv/byte_arena.h"

namespace rankd {

enum class ReplyKind : std::uint8_t { kNil, kString, kStatus, kError, kInteger, kArray };

/// One element, in 16 bytes: there is one for every value that is read. An array's elements follow
/// it in pre-order, or lie elsewhere, one behind the other.
struct ReplyNode {
  ReplyKind kind = ReplyKind::kNil;
  bool lies_elsewhere = false;  ///< Of an array: where its elements do, all of them plain.
  std::uint32_t size = 0;       ///< Bytes of a text, elements of an array.
  union {
    const char* data = nullptr;  ///< Of a string, a status or an error.
    std::int64_t integer;
    std::uint32_t array_span;
    const ReplyNode* array_elements;  ///< That lie elsewhere.
  };

  /// An array of `size` elements, that are `span` - 1 nodes with all below them.
  static ReplyNode Array(std::uint32_t size, std::uint32_t span) {
    ReplyNode node;
    node.kind = ReplyKind::kArray;
    node.size = size;
    node.array_span = span;
    return node;
  }

  /// An array of elements that hold no others, and outlive it.
  static ReplyNode ArrayOf(std::span<const ReplyNode> elements) {
    ReplyNode node;
    node.kind = ReplyKind::kArray;
    node.lies_elsewhere = true;
    node.size = static_cast<std::uint32_t>(elements.size());
    node.array_elements = elements.data();
    return node;
  }

  /// Nodes of this element with all below it that follow it: the next sibling's offset.
  std::uint32_t span() const {
    return kind == ReplyKind::kArray && !lies_elsewhere ? array_span : 1;
  }
  /// The first of an array's; the next one is its span() further on.
  const ReplyNode* elements() const { return lies_elsewhere ? array_elements : this + 1; }
  /// Of a string, a status or an error; of others, and of what is empty, nothing.
  std::string_view text() const {
    const bool has_text = kind >= ReplyKind::kString && kind <= ReplyKind::kError;
    return has_text ? std::string_view(data, size) : std::string_view();
  }
};
static_assert(sizeof(ReplyNode) == 16);

/// The replies to one pipeline, one root for each command, in order. Owns the bytes, or shares
/// them with an immutable store. Movable; nodes stay valid across moves.
class Replies {
 public:
  Replies() = default;
  Replies(Replies&&) noexcept = default;
  Replies& operator=(Replies&&) noexcept = default;
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;

  std::size_t size() const { return roots_.size(); }
  const ReplyNode& operator[](std::size_t command) const { return nodes_[roots_[command]]; }
  /// Those from `begin` to `end`. Where what is done with one writes to memory, this is faster than
  /// by number.
  auto roots(std::size_t begin, std::size_t end) const {
    return std::views::transform(
        std::span(roots_).subspan(begin, end - begin),
        [nodes = nodes_.data()](std::uint32_t root) -> const ReplyNode& { return nodes[root]; });
  }

  /// Of an array: calls `f(const ReplyNode&)` for each element, in order.
  template <typename F>
  static void ForEach(const ReplyNode& array, F&& f) {
    const ReplyNode* node = array.elements();
    for (std::uint32_t i = 0; i < array.size; ++i) {
      f(*node);
      node += node->span();
    }
  }

  // For stores: roots and nodes are appended in pre-order.
  void Reserve(std::size_t commands) { roots_.reserve(commands); }
  void BeginRoot() { roots_.push_back(static_cast<std::uint32_t>(nodes_.size())); }
  /// Where the first nodes of so many roots are to be written, as BeginRoot does.
  std::uint32_t* BeginRoots(std::size_t count) {
    roots_.resize(roots_.size() + count);
    return roots_.data() + roots_.size() - count;
  }
  std::vector<ReplyNode>& nodes() { return nodes_; }
  /// A copy of `bytes` that lives as long as these replies.
  const char* Store(std::string_view bytes) { return arena_.Store(bytes).data(); }
  /// Keeps `owner` alive as long as these replies: for bytes that are shared, not copied.
  void Share(std::shared_ptr<const void> owner) { shared_ = std::move(owner); }

 private:
  std::vector<std::uint32_t> roots_;
  std::vector<ReplyNode> nodes_;
  ByteArena arena_;
  std::shared_ptr<const void> shared_;
};

}  // namespace rankd
