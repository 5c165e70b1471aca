// One stream socket on the loop: connects, reads, and gathers the writes of a turn into one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <sys/socket.h>

#include "engine/io/uv_loop.h"

namespace rankd {

/// An internet address, or the path of a unix socket.
using SocketAddress = std::variant<sockaddr_storage, std::string>;

/// May close the socket from any of these. Loop thread.
class SocketListener {
 public:
  virtual void OnConnected() = 0;
  virtual void OnBytes(std::string_view bytes) = 0;
  /// Could not connect, or the connection has ended; the last call. The socket waits to be closed.
  virtual void OnLost(std::string reason) = 0;

 protected:
  ~SocketListener() = default;
};

class Socket final : private TurnEnd {
 public:
  /// Closes it; the listener hears no more. The memory goes when libuv is done with it.
  struct Close {
    void operator()(Socket* socket) const;
  };
  using Ptr = std::unique_ptr<Socket, Close>;

  /// Begins to connect; the outcome comes to the listener in a later turn.
  static Ptr Connect(UvLoop& loop, const SocketAddress& address, SocketListener& listener);

  /// Who hears of it from now on.
  void set_listener(SocketListener& listener) { listener_ = &listener; }

  /// The bytes to be sent at the end of this turn: append to them, then call SendAtTurnEnd.
  std::string& out() { return out_; }
  void SendAtTurnEnd() { loop_->AtTurnEnd(*this); }

 private:
  struct Handles;
  struct Callbacks;

  Socket(UvLoop& loop, SocketListener& listener);
  ~Socket() override;
  void Start(const SocketAddress& address);
  void Connected();
  bool StartReading();
  void OnRead(std::string_view bytes);
  void Lost(std::string reason);
  void OnTurnEnd() override;
  void Write();

  UvLoop* loop_;
  SocketListener* listener_;  ///< Null once it has heard the last.
  std::unique_ptr<Handles> handles_;
  std::string start_error_;  ///< Told at the end of the turn.
  std::string out_;
  std::string writing_;  ///< What a write of libuv's refers to.
  int reads_ = 0;        ///< In this turn.
  bool paused_ = false;  ///< Reads again in the next turn.
  bool connected_ = false;
  bool write_runs_ = false;
};

}  // namespace rankd
