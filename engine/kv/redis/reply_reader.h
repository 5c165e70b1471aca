// RESP, the receiving half: bytes in, reply nodes out. hiredis does the parsing; its objects are
// never made, our functions append to a Replies instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kv/reply.h"

struct redisReader;

namespace rankd {

/// Where the reader's elements go: nodes in pre-order, spans filled in as arrays end.
class ReplySink {
 public:
  /// Elements go to `target`, or nowhere. May change between replies; within one, only to nullptr.
  void SetTarget(Replies* target) { target_ = starved_ ? nullptr : target; }

  /// There was no memory for an element: the rest of the reply goes nowhere.
  bool starved() const { return starved_; }
  void BeginReply() { starved_ = false; }
  /// An element was refused, not merely too large for the memory there is.
  bool refused() const { return refused_; }
  void Refuse() { refused_ = true; }

  // Each is false when there are more elements than node offsets can tell apart.
  bool Text(ReplyKind kind, std::string_view text);
  bool Integer(std::int64_t value);
  bool Nil();
  bool Array(std::size_t size);

 private:
  struct OpenArray {
    std::size_t node;
    std::size_t elements_left;
  };
  template <typename Append>
  void Keep(Append&& append);
  void Expect(std::size_t elements);
  bool Begin(const ReplyNode& node);
  void End();

  Replies* target_ = nullptr;
  bool starved_ = false;
  bool refused_ = false;
  std::vector<OpenArray> open_;
};

/// One stream of replies. Not reusable after an error.
class ReplyReader {
 public:
  enum class Progress : std::uint8_t { kMore, kReply, kBroken };

  /// No more than this should be fed between calls of Next: hiredis moves what is left of its
  /// buffer to the front after each reply.
  static constexpr std::size_t kSlice = std::size_t{16} * 1024;
  /// As Redis itself: no string is longer.
  static constexpr std::size_t kLargestString = std::size_t{512} << 20;
  /// Of a status, an error, an integer or a length.
  static constexpr std::size_t kLongestLine = std::size_t{64} * 1024;

  ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;
  ~ReplyReader();

  /// Adds received bytes. For want of memory Next is kBroken.
  void Feed(std::string_view bytes);
  /// Reads on. kReply: one reply is complete and appended to `target` (nullptr: dropped). kMore:
  /// bytes are missing; the next call must be given the same target or nullptr. kBroken: this is
  /// not RESP, or something beyond the limits; error() says what.
  Progress Next(Replies* target);

  const std::string& error() const { return error_; }
  /// After Next: there was no memory for the reply, of which `target` holds an unusable part.
  /// Unless that was kBroken too, the replies after it can be read.
  bool starved() const { return starved_; }

 private:
  Progress Broken(std::string error);
  Progress BrokenByHiredis();
  /// What waits for more bytes can never be a reply within the limits.
  const char* HopelessWait() const;

  struct Free {
    void operator()(redisReader* reader) const;
  };
  ReplySink sink_;
  bool starved_ = false;
  std::unique_ptr<redisReader, Free> reader_;
  std::string error_;
};

}  // namespace rankd
