// A key-value store as a run sees it. One KvClient per endpoint and loop, loop thread only.
#pragma once

#include <coroutine>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/kv/command.h"
#include "engine/kv/observer.h"
#include "engine/kv/reply.h"

namespace rankd {

class KvClient;

/// One pipeline on its way: a queue entry, owned by whoever awaits it (normally a KvCall in a
/// coroutine frame), never by the client.
class KvRequest {
 public:
  explicit KvRequest(const CommandBatch& commands) : commands_(&commands) {}
  KvRequest(const KvRequest&) = delete;
  KvRequest& operator=(const KvRequest&) = delete;
  virtual ~KvRequest() = default;

  const CommandBatch& commands() const { return *commands_; }

  /// Exactly once after Submit unless Abandon comes first; may be called from within Submit; the
  /// client has forgotten the request already. Not called from a destructor of the client.
  virtual void OnReplies(Result<Replies> replies) = 0;

  // Links and place of the client that holds it; nobody else's business.
  KvRequest* previous_request = nullptr;
  KvRequest* next_request = nullptr;
  void* client_state = nullptr;

 private:
  const CommandBatch* commands_;
};

class KvClient {
 public:
  virtual ~KvClient() = default;

  /// Sends the commands as one pipeline as soon as the endpoint's `max_inflight` allows, first in
  /// first out. The commands are read once, at the send, and must live until OnReplies or Abandon.
  /// Errors: redis_unavailable, redis_timeout. Error replies of single commands are replies, not
  /// errors. An empty batch completes at once.
  virtual void Submit(KvRequest& request) = 0;

  /// Forgets a submitted request without telling it. Its replies, should they come, are dropped by
  /// position and never reach another request.
  virtual void Abandon(KvRequest& request) = 0;

  /// The endpoint's name, for messages.
  virtual const std::string& name() const = 0;
};

/// `Result<Replies> replies = co_await call;` where `KvCall call(client, commands, stop);` is a
/// named local. Fails with cancelled as soon as `stop` is stopped. Does not suspend when the client
/// answers at once. Resumes exactly once, on the loop thread.
class KvCall final : public KvRequest, public StopCallback {
 public:
  /// `observer`, if any, outlives the call.
  KvCall(KvClient& client, const CommandBatch& commands, StopSource& stop,
         KvObserver* observer = nullptr)
      : KvRequest(commands), client_(&client), stop_(&stop), observer_(observer) {}
  ~KvCall() override;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter);
  Result<Replies> await_resume();

  void OnReplies(Result<Replies> replies) override;
  void OnStop() override;

 private:
  void Complete(Result<Replies> replies);

  KvClient* client_;
  StopSource* stop_;
  KvObserver* observer_;
  std::size_t pipeline_ = 0;  ///< The observer's number for it.
  std::coroutine_handle<> waiter_;
  std::optional<Result<Replies>> result_;
  bool submitting_ = false;
  bool submitted_ = false;
};

}  // namespace rankd
