#include "cli/reorder_buffer.h"

#include <string>

#include <doctest/doctest.h>

namespace rankd {
namespace {

/// Appends `text`.
auto Writes(std::string text) {
  return [text](std::string& out) { out += text; };
}

TEST_CASE("answers are held back until all before them are there") {
  ReorderBuffer order(true);
  for (int i = 0; i < 4; ++i) order.Reserve();
  std::string out;
  CHECK(order.Put(2, out, Writes("c\n")) == 0);
  CHECK(order.Put(1, out, Writes("b\n")) == 0);
  CHECK(out.empty());
  CHECK(order.Put(0, out, Writes("a\n")) == 3);
  CHECK(out == "a\nb\nc\n");
  CHECK(order.Put(3, out, Writes("d\n")) == 1);
  CHECK(order.Release(out) == 0);
}

TEST_CASE("unordered answers are never held back") {
  ReorderBuffer order(false);
  order.Reserve();
  order.Reserve();
  std::string out;
  CHECK(order.Put(1, out, Writes("b\n")) == 1);
  CHECK(order.Put(0, out, Writes("a\n")) == 1);
  CHECK(out == "b\na\n");
}

TEST_CASE("an answer larger than an empty buffer becomes the buffer, without a copy") {
  ReorderBuffer order(true);
  order.Reserve();
  order.Reserve();
  std::string out;
  const char* written = nullptr;
  CHECK(order.Put(1, out, [&](std::string& text) {
    text.assign(1'000'000, 'x');
    written = text.data();
  }) == 0);
  CHECK(order.Put(0, out, Writes("")) == 2);
  CHECK(out.data() == written);
}

}  // namespace
}  // namespace rankd
