#include "cli/reorder_buffer.h"

namespace rankd {

std::uint64_t ReorderBuffer::Reserve() {
  if (ordered_) slots_.emplace_back();
  return next_++;
}

std::size_t ReorderBuffer::Advance(std::string& out) {
  std::size_t count = 1;
  slots_.pop_front();
  ++first_;
  while (!slots_.empty() && slots_.front().there) {
    out += slots_.front().text;
    slots_.pop_front();
    ++first_;
    ++count;
  }
  return count;
}

}  // namespace rankd
