// A TCP server that does what a test says: for peers that misbehave.
#pragma once

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace rankd {

/// One accepted connection, on the peer's thread. Everything ends when the peer is destroyed.
class PeerConnection {
 public:
  PeerConnection(int fd, int number, const std::atomic<bool>& closing)
      : fd_(fd), number_(number), closing_(&closing) {}

  /// 0 for the first connection of the peer.
  int number() const { return number_; }

  /// The next command's arguments; empty when the client has gone.
  std::vector<std::string> ReadCommand() {
    std::vector<std::string> arguments;
    std::string line;
    if (!ReadLine(line) || line[0] != '*') return {};
    const std::size_t count = Number(line);
    for (std::size_t i = 0; i < count; ++i) {
      if (!ReadLine(line) || line[0] != '$') return {};
      const std::size_t size = Number(line);
      if (!Need(size + 2)) return {};
      arguments.push_back(buffer_.substr(0, size));
      buffer_.erase(0, size + 2);
    }
    return arguments;
  }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  /// Until the client goes, or the test ends.
  void WaitForClose() {
    while (Receive()) {
    }
  }
  /// While reading nothing.
  void Sleep(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (!*closing_ && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  static std::size_t Number(const std::string& line) {
    std::size_t value = 0;
    std::from_chars(line.data() + 1, line.data() + line.size(), value);
    return value;
  }
  bool ReadLine(std::string& line) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!Receive()) return false;
    }
    line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return !line.empty();
  }
  bool Need(std::size_t size) {
    while (buffer_.size() < size) {
      if (!Receive()) return false;
    }
    return true;
  }
  bool Receive() {
    pollfd waiting{fd_, POLLIN, 0};
    while (poll(&waiting, 1, 5) == 0) {
      if (*closing_) return false;
    }
    char bytes[4096];
    const ssize_t n = recv(fd_, bytes, sizeof(bytes), 0);
    if (n <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(n));
    return true;
  }

  int fd_;
  int number_;
  const std::atomic<bool>* closing_;
  std::string buffer_;
};

class ScriptedPeer {
 public:
  /// Accepts one connection after the other and closes each when `handle` returns.
  explicit ScriptedPeer(std::function<void(PeerConnection&)> handle) : handle_(std::move(handle)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    RANKD_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    RANKD_CHECK(listen(listener_, 64) == 0);
    RANKD_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;
  ~ScriptedPeer() {
    closing_ = true;
    thread_.join();
    close(listener_);
  }

  std::uint16_t port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  void Serve() {
    while (!closing_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (poll(&waiting, 1, 5) <= 0) continue;
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) continue;
      PeerConnection connection(fd, accepted_++, closing_);
      handle_(connection);
      close(fd);
    }
  }

  std::function<void(PeerConnection&)> handle_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_ = 0;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

}  // namespace rankd
