// Looks the name of a server up. The system's resolver can only block, for half a minute when its
// own servers are silent; so each lookup has a thread of its own, which nobody ever waits for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/uv_loop.h"
#include "engine/kv/redis/socket.h"

namespace rankd {

/// Told once for each Find, unless Leave comes first.
class NameListener {
 public:
  /// In the resolver's order.
  virtual void OnAddresses(std::vector<SocketAddress> addresses) = 0;
  virtual void OnNoAddress(std::string reason) = 0;

 protected:
  ~NameListener() = default;
};

/// One name and port. Loop thread.
///
/// At most one lookup runs at a time. One that outlasts whoever asked goes on, and its outcome is
/// for the next who asks: so a name that takes longer than an attempt to connect may last is found
/// all the same, and names that hang hold up nothing but themselves.
class NameLookup {
 public:
  NameLookup(UvLoop& loop, std::string host, std::uint16_t port);
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  /// Leaves behind a lookup that runs: its thread ends when the resolver does, or with the process.
  ~NameLookup();

  /// The outcome may come from within.
  void Find(NameListener& listener);
  /// The listener hears no more.
  void Leave() { listener_ = nullptr; }

 private:
  struct Outcome {
    std::vector<SocketAddress> addresses;
    std::string reason;  ///< Why there is none.
  };
  class Work;

  static Outcome AskSystem(const std::string& host, std::uint16_t port);
  void Done(Outcome outcome);
  void Tell(Outcome outcome);

  UvLoop* loop_;
  const std::string host_;
  const std::uint16_t port_;
  NameListener* listener_ = nullptr;
  std::shared_ptr<Work> work_;      ///< While a lookup runs.
  std::optional<Outcome> outcome_;  ///< That came when nobody waited for it.
};

}  // namespace rankd
