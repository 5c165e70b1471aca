#include "engine/kv/redis/socket.h"

#include <array>
#include <utility>

#include <netinet/in.h>
#include <sys/un.h>
#include <uv.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

/// Buffers that have grown beyond this are given back once they are empty.
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;

void Empty(std::string& buffer) {
  if (buffer.capacity() > kKeptCapacity) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

std::string Reason(int status) {
  return status == UV_EOF ? "the server closed the connection" : uv_strerror(status);
}

}  // namespace

struct Socket::Handles {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  uv_connect_t connect;
  uv_write_t write;
  std::array<char, std::size_t{64} * 1024> read_buffer;
};

/// What libuv calls.
struct Socket::Callbacks {
  static Socket& Of(const uv_stream_t* stream) { return *static_cast<Socket*>(stream->data); }

  static void OnConnect(uv_connect_t* request, int status) {
    if (status == UV_ECANCELED) return;  // closed meanwhile
    Socket& socket = Of(request->handle);
    if (status < 0) {
      socket.Lost(Reason(status));
    } else {
      socket.Connected();
    }
  }
  static void OnAlloc(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto& bytes = static_cast<Socket*>(handle->data)->handles_->read_buffer;
    *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
  }
  static void OnRead(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
    Socket& socket = Of(stream);
    if (size < 0) {
      socket.Lost(Reason(static_cast<int>(size)));
    } else if (size > 0) {
      socket.OnRead({buffer->base, static_cast<std::size_t>(size)});
    }
  }
  static void OnWritten(uv_write_t* request, int status) {
    if (status == UV_ECANCELED) return;
    Socket& socket = Of(request->handle);
    socket.write_runs_ = false;
    Empty(socket.writing_);
    if (status < 0) {
      socket.Lost(Reason(status));
    } else {
      socket.Write();
    }
  }
  static void OnClosed(uv_handle_t* handle) { delete static_cast<Socket*>(handle->data); }
};

Socket::Ptr Socket::Connect(UvLoop& loop, const SocketAddress& address, SocketListener& listener) {
  Ptr socket(new Socket(loop, listener));
  socket->Start(address);
  return socket;
}

void Socket::Close::operator()(Socket* socket) const {
  socket->listener_ = nullptr;
  socket->Leave();
  uv_close(&socket->handles_->handle, &Callbacks::OnClosed);
}

Socket::Socket(UvLoop& loop, SocketListener& listener)
    : loop_(&loop), listener_(&listener), handles_(std::make_unique_for_overwrite<Handles>()) {}

Socket::~Socket() = default;

void Socket::Start(const SocketAddress& address) {
  Handles& uv = *handles_;
  int status = 0;
  if (const auto* path = std::get_if<std::string>(&address)) {
    RANKD_CHECK(uv_pipe_init(loop_->uv(), &uv.pipe, 0) == 0);
    uv.handle.data = this;
    if (path->size() >= sizeof(sockaddr_un::sun_path)) {
      status = UV_ENAMETOOLONG;  // libuv would cut it and connect to something else
    } else {
      uv_pipe_connect(&uv.connect, &uv.pipe, path->c_str(), &Callbacks::OnConnect);
    }
  } else {
    RANKD_CHECK(uv_tcp_init(loop_->uv(), &uv.tcp) == 0);
    uv.handle.data = this;
    uv_tcp_nodelay(&uv.tcp, 1);
    status = uv_tcp_connect(&uv.connect, &uv.tcp,
                            reinterpret_cast<const sockaddr*>(&std::get<sockaddr_storage>(address)),
                            &Callbacks::OnConnect);
  }
  if (status == 0) return;
  // Not from within Connect: its caller does not have the socket yet.
  start_error_ = Reason(status);
  loop_->AtTurnEnd(*this);
}

void Socket::Connected() {
  connected_ = true;
  if (StartReading() && listener_ != nullptr) listener_->OnConnected();
}

/// libuv would go on for 32 buffers, two megabytes: as small replies they keep timers waiting for
/// many milliseconds.
void Socket::OnRead(std::string_view bytes) {
  constexpr int kReadsPerTurn = 2;
  if (++reads_ == kReadsPerTurn) {
    uv_read_stop(&handles_->stream);
    paused_ = true;
  }
  loop_->AtTurnEnd(*this);
  if (listener_ != nullptr) listener_->OnBytes(bytes);
}

void Socket::Lost(std::string reason) {
  connected_ = false;
  uv_read_stop(&handles_->stream);
  if (SocketListener* listener = std::exchange(listener_, nullptr)) {
    listener->OnLost(std::move(reason));
  }
}

void Socket::OnTurnEnd() {
  if (!start_error_.empty()) {
    Lost(std::move(start_error_));
    return;
  }
  reads_ = 0;
  if (std::exchange(paused_, false) && connected_ && !StartReading()) return;
  Write();
}

/// False when it cannot, and is lost.
bool Socket::StartReading() {
  const int status = uv_read_start(&handles_->stream, &Callbacks::OnAlloc, &Callbacks::OnRead);
  if (status < 0) Lost(Reason(status));
  return status >= 0;
}

void Socket::Write() {
  if (!connected_ || write_runs_ || out_.empty()) return;
  uv_buf_t buffer{};
  buffer.base = out_.data();
  buffer.len = out_.size();
  int written = uv_try_write(&handles_->stream, &buffer, 1);
  if (written == UV_EAGAIN) written = 0;
  if (written < 0) {
    Lost(Reason(written));
    return;
  }
  if (static_cast<std::size_t>(written) == out_.size()) {
    Empty(out_);
    return;
  }
  // The system takes no more for now: libuv sends the rest, and what comes meanwhile waits.
  out_.swap(writing_);
  buffer.base = writing_.data() + written;
  buffer.len = writing_.size() - static_cast<std::size_t>(written);
  write_runs_ = true;
  const int status =
      uv_write(&handles_->write, &handles_->stream, &buffer, 1, &Callbacks::OnWritten);
  if (status < 0) Lost(Reason(status));
}

}  // namespace rankd
