// Replies as text, for comparing: `["a",nil,3,[]]`; a status is +OK, an error is -ERR ….
#pragma once

#include <cstddef>
#include <string>

#include "engine/kv/reply.h"

namespace rankd {

inline std::string ReplyText(const ReplyNode& node) {
  switch (node.kind) {
    case ReplyKind::kNil:
      return "nil";
    case ReplyKind::kString:
      return '"' + std::string(node.text()) + '"';
    case ReplyKind::kStatus:
      return '+' + std::string(node.text());
    case ReplyKind::kError:
      return '-' + std::string(node.text());
    case ReplyKind::kInteger:
      return std::to_string(node.integer);
    case ReplyKind::kArray:
      break;
  }
  std::string text = "[";
  Replies::ForEach(node, [&](const ReplyNode& element) {
    if (text.size() > 1) text += ',';
    text += ReplyText(element);
  });
  return text + "]";
}

/// All roots, one after the other, with a space between.
inline std::string ReplyText(const Replies& replies) {
  std::string text;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (i > 0) text += ' ';
    text += ReplyText(replies[i]);
  }
  return text;
}

}  // namespace rankd
