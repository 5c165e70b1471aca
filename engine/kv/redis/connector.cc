#include "engine/kv/redis/connector.h"

#include <utility>

#include <uv.h>

namespace rankd {
namespace {

/// Without the resolver, and without a thread, for what is an address already.
bool ParseAddress(const std::string& host, std::uint16_t port, sockaddr_storage& storage) {
  return uv_ip4_addr(host.c_str(), port, reinterpret_cast<sockaddr_in*>(&storage)) == 0 ||
         uv_ip6_addr(host.c_str(), port, reinterpret_cast<sockaddr_in6*>(&storage)) == 0;
}

}  // namespace

Connector::~Connector() {
  if (names_ != nullptr) names_->Leave();
}

void Connector::StartUnix(const std::string& path) {
  OnAddresses({SocketAddress(std::in_place_type<std::string>, path)});
}

void Connector::StartTcp(const std::string& host, std::uint16_t port, NameLookup& names) {
  sockaddr_storage storage{};
  if (ParseAddress(host, port, storage)) {
    OnAddresses({SocketAddress(storage)});
    return;
  }
  names_ = &names;
  names.Find(*this);
}

void Connector::OnAddresses(std::vector<SocketAddress> addresses) {
  names_ = nullptr;
  addresses_ = std::move(addresses);
  TryNext();
}

void Connector::OnNoAddress(std::string reason) {
  names_ = nullptr;
  listener_->OnNoSocket(std::move(reason));
}

void Connector::TryNext() {
  socket_.reset();
  address_timer_.Disarm();
  if (next_ == addresses_.size()) {
    listener_->OnNoSocket(std::move(reason_));
    return;
  }
  const std::size_t left = addresses_.size() - next_;
  socket_ = Socket::Connect(*loop_, addresses_[next_++], *this);
  if (left > 1 && give_up_ != kNever) {
    const TimePoint now = loop_->Now();
    loop_->Arm(address_timer_, now + (give_up_ - now) / static_cast<Duration::rep>(left));
  }
}

void Connector::OnAddressTimeout() {
  reason_ = "connection timed out";
  TryNext();
}

void Connector::OnConnected() {
  address_timer_.Disarm();
  listener_->OnSocket(std::move(socket_));
}

void Connector::OnLost(std::string reason) {
  reason_ = std::move(reason);
  TryNext();
}

}  // namespace rankd
