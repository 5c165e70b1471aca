// KvObserver: who wants to know of a run's pipelines; traces and logs do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/result.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"

namespace rankd {

class KvClient;

/// Loop thread.
class KvObserver {
 public:
  /// `commands` are about to be submitted to `client`. The number it gives names the pipeline.
  virtual std::size_t OnSubmit(const KvClient& client, const CommandBatch& commands) = 0;
  /// Its replies, or why there are none. Not called for a pipeline whose call is destroyed while it
  /// is under way.
  virtual void OnReplies(std::size_t pipeline, const Result<Replies>& replies) = 0;

 protected:
  ~KvObserver() = default;
};

/// Bytes that `replies` are on the wire, as RESP 2; what they would be, for a memory store.
/// O(elements).
std::uint64_t WireBytes(const Replies& replies);

}  // namespace rankd
