// One attempt to connect: waits for the addresses of a name, then tries one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/io/member_calls.h"
#include "engine/io/uv_loop.h"
#include "engine/kv/redis/name_lookup.h"
#include "engine/kv/redis/socket.h"

namespace rankd {

/// Told once; may destroy the connector.
class ConnectorListener {
 public:
  virtual void OnSocket(Socket::Ptr socket) = 0;
  virtual void OnNoSocket(std::string reason) = 0;

 protected:
  ~ConnectorListener() = default;
};

/// Loop thread. Destroying it gives up.
class Connector final : private SocketListener, private NameListener {
 public:
  /// `give_up` bounds the attempt for its owner, who has the timer; here it only divides the time
  /// that is left among the addresses, so that one that does not answer leaves some for the others.
  Connector(UvLoop& loop, TimePoint give_up, ConnectorListener& listener)
      : loop_(&loop), give_up_(give_up), listener_(&listener) {}
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  ~Connector();

  // One of these, once. The outcome may come from within.
  void StartUnix(const std::string& path);
  /// `names` is asked where `host` is no address itself. Outlives the connector.
  void StartTcp(const std::string& host, std::uint16_t port, NameLookup& names);

  /// What it waits for, for messages: "looking up its name", "connecting".
  const char* waiting_for() const {
    return names_ != nullptr ? "looking up its name" : "connecting";
  }

 private:
  void OnAddresses(std::vector<SocketAddress> addresses) override;
  void OnNoAddress(std::string reason) override;
  void TryNext();
  void OnAddressTimeout();
  void OnConnected() override;
  void OnBytes(std::string_view) override {}  // nothing has been asked yet; see OnConnected
  void OnLost(std::string reason) override;

  UvLoop* loop_;
  TimePoint give_up_;
  ConnectorListener* listener_;
  NameLookup* names_ = nullptr;  ///< While it is being asked.
  std::vector<SocketAddress> addresses_;
  std::size_t next_ = 0;
  Socket::Ptr socket_;
  std::string reason_;
  MemberTimer<Connector, &Connector::OnAddressTimeout> address_timer_{*this};
};

}  // namespace rankd
