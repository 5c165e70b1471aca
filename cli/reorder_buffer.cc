#include "cli/reorder_buffer.h"

#include <new>

namespace rankd {

std::uint64_t ReorderBuffer::Reserve() {
  if (ordered_) slots_.emplace_back();
  return next_++;
}

std::size_t ReorderBuffer::Advance(std::string& out) {
  slots_.pop_front();
  ++first_;
  return 1 + Release(out);
}

std::size_t ReorderBuffer::Release(std::string& out) {
  std::size_t count = 0;
  while (!slots_.empty() && slots_.front().there) {
    std::string& text = slots_.front().text;
    if (out.empty() && text.size() > out.capacity()) {
      out.swap(text);
    } else {
      try {
        out += text;
      } catch (const std::bad_alloc&) {
        break;
      }
    }
    slots_.pop_front();
    ++first_;
    ++count;
  }
  return count;
}

}  // namespace rankd
