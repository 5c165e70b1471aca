// InputRows: the rows a node is given, looked at where they lie, in the results of the nodes before
// it, so that starting a node moves and counts nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "engine/base/ids.h"
#include "engine/data/rowset.h"

namespace rankd {

/// Where among the results an input lies, and whether nobody wants it afterwards, if that is known.
class InputRef {
 public:
  InputRef(NodeId node, bool last) : bits_(static_cast<std::uint32_t>(node) | (last ? kLast : 0)) {}
  NodeId node() const { return NodeId{bits_ & ~kLast}; }
  bool last() const { return (bits_ & kLast) != 0; }

 private:
  static constexpr std::uint32_t kLast = 0x80000000;  // of nodes there are fewer (kMaxNodes)
  std::uint32_t bits_;
};

/// A view; valid while the node runs.
class InputRows {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = RowSet;
    using difference_type = std::ptrdiff_t;
    using pointer = const RowSet*;
    using reference = const RowSet&;

    Iterator(const InputRows& rows, std::size_t at) : rows_(&rows), at_(at) {}
    const RowSet& operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const InputRows* rows_;
    std::size_t at_;
  };

  InputRows() = default;
  /// `rows`, in that order; they stay as they are.
  template <typename Rows>
  requires std::convertible_to<const Rows&, std::span<const RowSet>> InputRows(
      const Rows& rows)  // NOLINT(google-explicit-constructor)
      : rows_(const_cast<RowSet*>(std::span<const RowSet>(rows).data())),
        size_(std::span<const RowSet>(rows).size()) {}
  /// Those of `results` that `order` names; by the same numbers, `consumers_left` says how many
  /// still want them, this node counted. Nullptr: `order` knows who is the last.
  InputRows(RowSet* results, std::span<const InputRef> order, const std::uint32_t* consumers_left)
      : rows_(results),
        order_(order.data()),
        consumers_left_(consumers_left),
        size_(order.size()) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const RowSet& operator[](std::size_t i) const { return rows_[Place(i)]; }
  const RowSet& front() const { return (*this)[0]; }
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size_); }

  /// Input `i`, without counting a reference where nobody else wants it: not to be looked at again.
  RowSet Take(std::size_t i) const {
    if (order_ == nullptr) return rows_[i];
    const std::size_t place = Index(order_[i].node());
    const bool last = consumers_left_ == nullptr ? order_[i].last() : consumers_left_[place] == 1;
    return RowSet::MovedIf(rows_[place], last);
  }

 private:
  std::size_t Place(std::size_t i) const { return order_ == nullptr ? i : Index(order_[i].node()); }

  RowSet* rows_ = nullptr;           // const where order_ is nullptr
  const InputRef* order_ = nullptr;  // nullptr: as they lie
  const std::uint32_t* consumers_left_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rankd
