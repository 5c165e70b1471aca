#include "engine/kv/redis/connector.h"

#include <cstring>
#include <utility>

#include <netdb.h>
#include <uv.h>

namespace rankd {
namespace {

SocketAddress FromSockaddr(const sockaddr* address, std::size_t size) {
  sockaddr_storage storage{};
  std::memcpy(&storage, address, size);
  return storage;
}

/// Without the resolver, and without a thread, for what is an address already.
bool ParseAddress(const std::string& host, std::uint16_t port, sockaddr_storage& storage) {
  return uv_ip4_addr(host.c_str(), port, reinterpret_cast<sockaddr_in*>(&storage)) == 0 ||
         uv_ip6_addr(host.c_str(), port, reinterpret_cast<sockaddr_in6*>(&storage)) == 0;
}

}  // namespace

struct Connector::Lookup {
  uv_getaddrinfo_t request;
  Connector* owner;  ///< Null once it has given up.

  static void OnDone(uv_getaddrinfo_t* request, int status, addrinfo* found) {
    auto* lookup = static_cast<Lookup*>(request->data);
    Connector* owner = lookup->owner;
    std::vector<SocketAddress> addresses;
    for (const addrinfo* at = found; status == 0 && at != nullptr; at = at->ai_next) {
      addresses.push_back(FromSockaddr(at->ai_addr, at->ai_addrlen));
    }
    uv_freeaddrinfo(found);
    delete lookup;
    if (owner == nullptr) return;
    owner->lookup_ = nullptr;
    if (status < 0) {
      owner->listener_->OnNoSocket(uv_strerror(status));
    } else {
      owner->Found(std::move(addresses));
    }
  }
};

Connector::~Connector() {
  if (lookup_ == nullptr) return;
  lookup_->owner = nullptr;
  uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_->request));  // too late is fine
}

void Connector::StartUnix(const std::string& path) {
  Found({SocketAddress(std::in_place_type<std::string>, path)});
}

void Connector::StartTcp(const std::string& host, std::uint16_t port) {
  sockaddr_storage storage{};
  if (ParseAddress(host, port, storage)) {
    Found({SocketAddress(storage)});
    return;
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  lookup_ = new Lookup{{}, this};
  lookup_->request.data = lookup_;
  const int status = uv_getaddrinfo(loop_->uv(), &lookup_->request, &Lookup::OnDone, host.c_str(),
                                    std::to_string(port).c_str(), &hints);
  if (status == 0) return;
  delete std::exchange(lookup_, nullptr);
  listener_->OnNoSocket(uv_strerror(status));
}

void Connector::Found(std::vector<SocketAddress> addresses) {
  addresses_ = std::move(addresses);
  reason_ = "the name has no address";
  TryNext();
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
