// ReadyStack: the nodes of one activation that may start now; the last in is the first out. One
// thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace rankd {

class ReadyStack {
 public:
  /// Makes room for `more` nodes, and keeps it. All are pushed once at most, so that pushing asks
  /// for no room.
  void Reserve(std::size_t more) {
    if (nodes_.size() < size_ + more) nodes_.resize(size_ + more);
  }

  void Push(NodeId node) { nodes_[size_++] = node; }
  /// Pushes those of `nodes`, the last first, that `is_ready` holds for.
  template <typename F>
  void PushIf(std::span<const NodeId> nodes, F&& is_ready) {
    NodeId* top = nodes_.data() + size_;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      if (is_ready(nodes[i])) *top++ = nodes[i];
    }
    size_ = static_cast<std::size_t>(top - nodes_.data());
  }
  NodeId Pop() { return nodes_[--size_]; }
  void Clear() { size_ = 0; }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.begin() + static_cast<std::ptrdiff_t>(size_); }
  /// Those above the first `bottom`.
  std::span<const NodeId> Above(std::size_t bottom) const {
    return std::span(nodes_).subspan(bottom, size_ - bottom);
  }

 private:
  std::vector<NodeId> nodes_;  ///< Room; the first size_ of it are in use.
  std::size_t size_ = 0;
};

}  // namespace rankd
