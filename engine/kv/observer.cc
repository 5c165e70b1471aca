#include "engine/kv/observer.h"

#include "engine/base/number_text.h"
#include "engine/kv/resp.h"

namespace rankd {
namespace {

constexpr std::uint64_t kLineEnd = 2;  // "\r\n"

/// "*N\r\n" or "$N\r\n".
std::uint64_t HeadBytes(std::uint32_t size) { return 1 + IntTextSize(size) + kLineEnd; }

std::uint64_t BulkBytes(std::uint64_t size) { return BulkFrameBytes(size) + size; }

/// Without the elements of an array.
std::uint64_t NodeBytes(const ReplyNode& node) {
  switch (node.kind) {
    case ReplyKind::kNil:
      return 5;  // "$-1\r\n"
    case ReplyKind::kString:
      return BulkBytes(node.size);
    case ReplyKind::kStatus:
    case ReplyKind::kError:
      return 1 + node.size + kLineEnd;
    case ReplyKind::kInteger:
      return 1 + IntTextSize(node.integer) + kLineEnd;
    case ReplyKind::kArray:
      return HeadBytes(node.size);
  }
  return 0;
}

}  // namespace

std::uint64_t WireBytes(const Replies& replies) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const ReplyNode& root = replies[i];
    if (root.lies_elsewhere) {
      bytes += NodeBytes(root);
      Replies::ForEach(root, [&](const ReplyNode& element) { bytes += NodeBytes(element); });
      continue;
    }
    // An element's nodes lie behind it, in pre-order.
    for (const ReplyNode* node = &root; node != &root + root.span(); ++node)
      bytes += NodeBytes(*node);
  }
  return bytes;
}

}  // namespace rankd
