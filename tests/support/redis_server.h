// A redis-server of the test's own, on a free port or a unix socket, without persistence. A test
// that needs one fails where the program is missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/check.h"
#include "engine/kv/redis/redis_client.h"
#include "engine/kv/resp.h"
#include "tests/support/temp_dir.h"

namespace rankd {

/// A port of 127.0.0.1 that nobody listens on now.
inline std::uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  RANKD_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  RANKD_CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(fd);
  return ntohs(address.sin_port);
}

class RedisServer {
 public:
  enum class Listen { kUnix, kTcp };

  /// Starts it and waits until it answers. `arguments` are further ones, such as "--requirepass x".
  explicit RedisServer(Listen listen, std::vector<std::string> arguments = {})
      : arguments_(std::move(arguments)) {
    if (listen == Listen::kUnix) {
      socket_path_ = dir_.File("redis.sock");
    } else {
      port_ = FreePort();
    }
    Start();
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { Kill(); }

  /// Where a client finds it.
  RedisOptions options(std::string name = "redis_default") const {
    RedisOptions options;
    options.name = std::move(name);
    options.unix_socket = socket_path_;
    options.port = port_;
    options.connect_timeout = std::chrono::seconds(5);
    options.request_timeout = std::chrono::seconds(30);
    return options;
  }
  std::uint16_t port() const { return port_; }
  const std::string& socket_path() const { return socket_path_; }

  /// Again after Kill, at the same place.
  void Start() {
    std::vector<std::string> all{
        "redis-server", "--port",    std::to_string(port_), "--bind", "127.0.0.1",
        "--save",       "",          "--appendonly",        "no",     "--dir",
        dir_.path(),    "--logfile", dir_.File("log")};
    if (!socket_path_.empty()) {
      all.push_back("--unixsocket");
      all.push_back(socket_path_);
    }
    all.insert(all.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> argv;
    for (std::string& argument : all) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    RANKD_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // it goes when the test goes
      execvp("redis-server", argv.data());
      std::fputs("redis-server is missing: the integration tests need it\n", stderr);
      _exit(127);
    }
    for (int i = 0; i < 1000; ++i) {
      if (!Send("*1\r\n$4\r\nPING\r\n").empty()) return;
      RANKD_CHECK(waitpid(pid_, nullptr, WNOHANG) == 0 && "redis-server has ended");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    RANKD_CHECK(false && "redis-server does not answer");
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void Pause() {
    kill(pid_, SIGSTOP);
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);  // it has stopped
  }
  void Continue() { kill(pid_, SIGCONT); }

  /// Runs one command on a connection of its own and returns the reply as it came.
  std::string Command(std::initializer_list<std::string_view> arguments) {
    std::string bytes;
    AppendCommandHead(bytes, arguments.size());
    for (const std::string_view argument : arguments) AppendBulkString(bytes, argument);
    return Send(bytes);
  }
  /// Sends commands that are written out already, then QUIT; every reply but the last.
  std::string Send(std::string bytes) const {
    bytes += "*1\r\n$4\r\nQUIT\r\n";
    const int fd = Dial();
    if (fd < 0) return "";
    // Both ways at once: neither side may wait for the other with full buffers.
    std::thread writer([&] {
      for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) return;
        sent += static_cast<std::size_t>(n);
      }
    });
    std::string replies;
    std::vector<char> buffer(1 << 16);
    for (ssize_t n = 0; (n = recv(fd, buffer.data(), buffer.size(), 0)) > 0;) {
      replies.append(buffer.data(), static_cast<std::size_t>(n));
    }
    writer.join();
    close(fd);
    if (replies.ends_with("+OK\r\n")) replies.resize(replies.size() - 5);
    return replies;
  }

 private:
  /// A connection, or -1.
  int Dial() const {
    const bool unix_domain = !socket_path_.empty();
    const int fd = socket(unix_domain ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    int status = -1;
    if (unix_domain) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::memcpy(address.sun_path, socket_path_.c_str(), socket_path_.size() + 1);
      status = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    } else {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port_);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      status = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    }
    if (status == 0) return fd;
    close(fd);
    return -1;
  }

  TempDir dir_;
  std::vector<std::string> arguments_;
  std::string socket_path_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace rankd
