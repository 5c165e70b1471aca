// The store clients of one loop, by endpoint.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cli/workspace.h"
#include "engine/io/uv_loop.h"
#include "engine/kv/kv.h"

namespace rankd {

/// One KvClient for each endpoint of the workspace. Lives on the loop's thread, no longer than the
/// loop.
class StoreClients {
 public:
  /// Reads the data of memory endpoints; nullptr when that fails, which the console has been told.
  /// Redis clients connect when first used.
  static std::unique_ptr<StoreClients> Make(Workspace& workspace, UvLoop& loop);

  /// By EndpointId.
  std::span<KvClient* const> clients() const { return by_endpoint_; }

 private:
  StoreClients() = default;

  std::vector<std::unique_ptr<KvClient>> owned_;
  std::vector<KvClient*> by_endpoint_;
};

}  // namespace rankd
