#include "engine/kv/redis/redis_client.h"

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/while_true.h"
#include "engine/io/member_calls.h"
#include "engine/kv/inflight_limiter.h"
#include "engine/kv/redis/backoff.h"
#include "engine/kv/redis/connector.h"
#include "engine/kv/redis/handshake.h"
#include "engine/kv/redis/name_lookup.h"
#include "engine/kv/redis/pipeline_queue.h"
#include "engine/kv/redis/reply_reader.h"
#include "engine/kv/redis/socket.h"
#include "engine/kv/resp.h"

namespace rankd {
namespace {

/// A connection that has lived this long counts as a success even if nothing was asked.
constexpr Duration kProvenAge = std::chrono::seconds(1);

/// What may be waiting for a reply that nobody waits for any more. A server that far behind is
/// better begun with anew.
constexpr std::size_t kMostForgotten = std::size_t{64} << 20;

/// A timer that fires later than this says that the loop was kept from turning.
constexpr Duration kLate = std::chrono::milliseconds(3);

/// No further than a timer can reach, ten times over.
Duration Limit(std::chrono::milliseconds limit) {
  return std::min<std::chrono::milliseconds>(limit, std::chrono::hours(24 * 365));
}

std::string Milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         " ms";
}

std::string AddressText(const RedisOptions& options) {
  if (!options.unix_socket.empty()) return options.unix_socket;
  const bool ip6 = options.host.find(':') != std::string::npos;
  return (ip6 ? "[" + options.host + "]" : options.host) + ":" + std::to_string(options.port);
}

/// What a server says of its own accord to a connection it does not want. It only looks like the
/// reply to the first command.
bool RefusesConnection(const ReplyNode& first_reply) {
  const std::string_view text = first_reply.text();
  return first_reply.kind == ReplyKind::kError &&
         (text.starts_with("ERR max number of clients") || text.starts_with("DENIED "));
}

/// One copy, from the batch into the buffer the system reads from. Pointing the system at the batch
/// itself would save it, but a batch may go (its request abandoned) before the bytes are sent.
/// False, with `out` as it was, where there is no memory for them or for a place in `sent`: what is
/// written must be waited for.
bool AppendCommands(std::string& out, const CommandBatch& commands, PipelineQueue& sent) {
  const std::size_t before = out.size();
  try {
    sent.Reserve();
    commands.AppendResp(out);
  } catch (const std::bad_alloc&) {
    out.resize(before);
    return false;
  }
  return true;
}

}  // namespace

/// Who holds a request is told by its client_state: null while it waits for a place, `&failing_`
/// or `&starved_` while it is about to be failed, else its SentPipeline.
class RedisClient::Core final : public ConnectorListener, public SocketListener, private TurnEnd {
 public:
  Core(UvLoop& loop, RedisOptions options)
      : loop_(&loop),
        options_(std::move(options)),
        request_timeout_(Limit(options_.request_timeout)),
        stale_after_(std::max<Duration>(std::chrono::seconds(1), 10 * request_timeout_)),
        prefix_("endpoint " + options_.name + " at " + AddressText(options_) + ": "),
        limiter_(options_.max_inflight),
        names_(loop, options_.host, options_.port),
        backoff_(std::random_device()()) {}
  ~Core() {
    RANKD_CHECK(limiter_.in_flight() + limiter_.waiting() == 0 && failing_.empty() &&
                starved_.empty());
  }

  const RedisOptions& options() const { return options_; }
  std::size_t in_flight() const { return limiter_.in_flight(); }

  void Submit(KvRequest& request);
  void Abandon(KvRequest& request);

 private:
  enum class State : std::uint8_t { kIdle, kConnecting, kHandshake, kReady, kBackoff };

  // The connection, from the first attempt on.
  void StartAttempt();
  void AttemptFailed(std::string reason);
  void OnSocket(Socket::Ptr socket) override;
  void OnNoSocket(std::string reason) override { AttemptFailed(std::move(reason)); }
  void OnAttemptTimeout();
  void Ready();
  void LoseConnection(std::string reason);
  void CloseConnection();
  void OnConnected() override {}  // the connector has heard it
  void OnLost(std::string reason) override { LoseConnection(std::move(reason)); }

  // Requests.
  /// Tells nobody anything: it is called where others are about to be told, and from destructors.
  void SendWaiting();
  /// Fails those whose commands there was no memory for.
  void OnTurnEnd() override;
  void OnBytes(std::string_view bytes) override;
  /// Reads every reply that is complete; false when the connection is gone.
  bool ReadReplies();
  bool TakeReply(SentPipeline* pipeline);
  /// Fails the request of a pipeline in flight, if it has one; its replies will be dropped.
  void FailSent(SentPipeline* pipeline, Error error);
  /// Its replies will be dropped; its place goes to the next that waits.
  void ForgetSent(SentPipeline& pipeline);
  void WatchFor(TimePoint due);
  void OnWatch();
  void FailAll();

  UvLoop* loop_;
  const RedisOptions options_;
  const Duration request_timeout_;
  const Duration stale_after_;
  const std::string prefix_;  ///< "endpoint NAME at ADDRESS: "

  State state_ = State::kIdle;
  std::string last_reason_;
  InflightLimiter limiter_;
  RequestQueue failing_;
  RequestQueue starved_;
  bool failing_all_ = false;

  NameLookup names_;
  std::unique_ptr<Connector> connector_;
  Backoff backoff_;
  MemberTimer<Core, &Core::OnAttemptTimeout> attempt_timer_{*this};
  MemberTimer<Core, &Core::StartAttempt> retry_timer_{*this};

  Socket::Ptr socket_;
  std::unique_ptr<ReplyReader> reader_;
  Handshake handshake_;
  TimePoint connected_at_;
  bool proven_ = false;  ///< It has answered a pipeline.
  PipelineQueue sent_;
  Replies unasked_;  ///< What comes though nothing is unanswered.
  MemberTimer<Core, &Core::OnWatch> watch_timer_{*this};
  bool looked_again_ = false;
};

void RedisClient::Core::Submit(KvRequest& request) {
  if (request.commands().empty()) {
    request.OnReplies(Replies());
    return;
  }
  if (state_ == State::kBackoff) {
    request.OnReplies(Fail(ErrorCode::kRedisUnavailable, prefix_ + last_reason_));
    return;
  }
  request.client_state = nullptr;
  limiter_.Wait(request);
  if (state_ == State::kIdle) {
    StartAttempt();
  } else {
    SendWaiting();
  }
}

void RedisClient::Core::Abandon(KvRequest& request) {
  if (request.client_state == nullptr) {
    limiter_.StopWaiting(request);
  } else if (request.client_state == &failing_) {
    failing_.Remove(request);
  } else if (request.client_state == &starved_) {
    starved_.Remove(request);
  } else {
    ForgetSent(*static_cast<SentPipeline*>(request.client_state));
  }
}

void RedisClient::Core::StartAttempt() {
  state_ = State::kConnecting;
  TimePoint give_up = kNever;
  if (options_.connect_timeout > Duration(0)) {
    give_up = loop_->Now() + Limit(options_.connect_timeout);
    loop_->Arm(attempt_timer_, give_up);
  }
  connector_ = std::make_unique<Connector>(*loop_, give_up, *this);
  if (!options_.unix_socket.empty()) {
    connector_->StartUnix(options_.unix_socket);
  } else {
    connector_->StartTcp(options_.host, options_.port, names_);
  }
}

void RedisClient::Core::AttemptFailed(std::string reason) {
  CloseConnection();
  last_reason_ = std::move(reason);
  state_ = State::kBackoff;
  loop_->Arm(retry_timer_, loop_->Now() + backoff_.Next());
  // They waited for this attempt.
  while (KvRequest* request = limiter_.TakeWaiting()) {
    request->client_state = &failing_;
    failing_.PushBack(*request);
  }
  FailAll();
}

void RedisClient::Core::OnSocket(Socket::Ptr socket) {
  connector_.reset();
  socket_ = std::move(socket);
  socket_->set_listener(*this);
  reader_ = std::make_unique<ReplyReader>();
  if (handshake_.Begin(options_, socket_->out())) {
    state_ = State::kHandshake;
    socket_->SendAtTurnEnd();
  } else {
    Ready();
  }
}

void RedisClient::Core::OnAttemptTimeout() {
  const char* waited_for =
      state_ == State::kHandshake ? handshake_.waiting_for() : connector_->waiting_for();
  AttemptFailed("no connection within " + Milliseconds(options_.connect_timeout) + " (" +
                waited_for + ")");
}

void RedisClient::Core::Ready() {
  state_ = State::kReady;
  attempt_timer_.Disarm();
  connected_at_ = loop_->Now();
  proven_ = false;
  SendWaiting();
}

void RedisClient::Core::LoseConnection(std::string reason) {
  if (state_ != State::kReady) {
    AttemptFailed(std::move(reason));
    return;
  }
  const bool proven = proven_ || loop_->Now() - connected_at_ >= kProvenAge;
  CloseConnection();
  reason = "connection lost: " + reason;
  if (!proven) {
    // Else a server that closes at once would be dialled without a pause.
    AttemptFailed(std::move(reason));
    return;
  }
  backoff_.Reset();
  last_reason_ = std::move(reason);
  state_ = State::kConnecting;  // for those who submit anew when they hear of it
  FailAll();
  StartAttempt();
}

void RedisClient::Core::CloseConnection() {
  connector_.reset();
  socket_.reset();
  reader_.reset();
  attempt_timer_.Disarm();
  watch_timer_.Disarm();
  while (SentPipeline* pipeline = sent_.front()) {
    if (KvRequest* request = pipeline->request) {
      limiter_.Leave();
      request->client_state = &failing_;
      failing_.PushBack(*request);
    }
    sent_.PopFront();
  }
}

void RedisClient::Core::SendWaiting() {
  if (state_ != State::kReady) return;
  while (KvRequest* request = limiter_.Admit()) {
    const TimePoint now = loop_->Now();
    std::string& out = socket_->out();
    const std::size_t unsent = out.size();
    if (!AppendCommands(out, request->commands(), sent_)) {
      limiter_.Leave();
      request->client_state = &starved_;
      starved_.PushBack(*request);
      loop_->AtTurnEnd(*this);
      continue;
    }
    request->client_state = &sent_.Push(*request, out.size() - unsent, now);
    socket_->SendAtTurnEnd();
    if (request_timeout_ > Duration(0)) WatchFor(now + request_timeout_);
  }
}

void RedisClient::Core::OnTurnEnd() {
  while (KvRequest* request = starved_.PopFront()) {
    request->OnReplies(Fail(ErrorCode::kLimitExceeded, prefix_ + "out of memory for commands"));
  }
}

void RedisClient::Core::OnBytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view slice = bytes.substr(0, ReplyReader::kSlice);
    bytes.remove_prefix(slice.size());
    reader_->Feed(slice);
    if (!ReadReplies()) return;
  }
}

bool RedisClient::Core::ReadReplies() {
  for (;;) {
    SentPipeline* pipeline = sent_.front();
    Replies* target = &unasked_;
    if (state_ == State::kHandshake) {
      target = &handshake_.replies();
    } else if (pipeline != nullptr) {
      target = pipeline->request == nullptr ? nullptr : &pipeline->replies;
    }
    const ReplyReader::Progress progress = reader_->Next(target);
    if (reader_->starved()) {
      FailSent(pipeline, Error(ErrorCode::kLimitExceeded, prefix_ + "out of memory for a reply"));
    }
    switch (progress) {
      case ReplyReader::Progress::kMore:
        return true;
      case ReplyReader::Progress::kBroken:
        LoseConnection("not a reply of Redis: " + reader_->error());
        return false;
      case ReplyReader::Progress::kReply:
        if (!TakeReply(pipeline)) return false;
    }
  }
}

bool RedisClient::Core::TakeReply(SentPipeline* pipeline) {
  if (state_ == State::kHandshake) {
    if (!handshake_.Took()) return true;
    if (!handshake_.error().empty()) {
      AttemptFailed(handshake_.error());
      return false;
    }
    Ready();
    return true;
  }
  if (pipeline == nullptr) {
    // "-ERR max number of clients reached", for one.
    const std::string text(unasked_[0].text().substr(0, 200));
    unasked_ = Replies();
    LoseConnection("a reply to nothing: " + text);
    return false;
  }
  if (!proven_ && pipeline->replies.size() == 1 && RefusesConnection(pipeline->replies[0])) {
    LoseConnection("the server refused it: " + std::string(pipeline->replies[0].text()));
    return false;
  }
  if (--pipeline->unanswered > 0) return true;
  KvRequest* request = pipeline->request;
  Replies replies = std::move(pipeline->replies);
  sent_.PopFront();
  proven_ = true;
  if (request == nullptr) return true;
  limiter_.Leave();
  SendWaiting();
  request->OnReplies(std::move(replies));
  return true;
}

void RedisClient::Core::FailSent(SentPipeline* pipeline, Error error) {
  if (pipeline == nullptr || pipeline->request == nullptr) return;
  KvRequest* request = pipeline->request;
  ForgetSent(*pipeline);
  request->OnReplies(std::unexpected(std::move(error)));
}

void RedisClient::Core::ForgetSent(SentPipeline& pipeline) {
  sent_.Forget(pipeline);
  limiter_.Leave();
  SendWaiting();
  // Closes the connection, but not from within the destructors of those who abandon.
  if (sent_.forgotten_bytes() > kMostForgotten) WatchFor(loop_->Now());
}

void RedisClient::Core::WatchFor(TimePoint due) {
  if (!watch_timer_.armed() || due < watch_timer_.due()) loop_->Arm(watch_timer_, due);
}

void RedisClient::Core::OnWatch() {
  const TimePoint now = loop_->Now();
  // The loop was busy with something else, and the replies may be lying in the socket: look first.
  const bool late = now - watch_timer_.due() > kLate;
  if (late && !looked_again_) {
    looked_again_ = true;
    loop_->Arm(watch_timer_, now);
    return;
  }
  looked_again_ = false;
  if (sent_.forgotten_bytes() > kMostForgotten) {
    LoseConnection("the server is too far behind");
    return;
  }
  if (request_timeout_ == Duration(0)) return;
  SentPipeline* waiting = sent_.FirstWaiting();
  while (waiting != nullptr && waiting->sent_at + request_timeout_ <= now) {
    FailSent(waiting, Error(ErrorCode::kRedisTimeout,
                            prefix_ + "no reply within " + Milliseconds(request_timeout_)));
    waiting = sent_.FirstWaiting();
  }
  SentPipeline* oldest = sent_.front();
  if (oldest == nullptr) return;
  if (oldest->sent_at + stale_after_ <= now) {
    LoseConnection("no reply for " + Milliseconds(stale_after_));
    return;
  }
  WatchFor(oldest->sent_at + stale_after_);
  if (waiting != nullptr) WatchFor(waiting->sent_at + request_timeout_);
}

void RedisClient::Core::FailAll() {
  // Telling one may lead here again, or take others from the queue.
  if (failing_all_) return;
  const WhileTrue failing_all(failing_all_);
  while (KvRequest* request = failing_.PopFront()) {
    request->OnReplies(Fail(ErrorCode::kRedisUnavailable, prefix_ + last_reason_));
  }
}

RedisClient::RedisClient(UvLoop& loop, RedisOptions options)
    : core_(std::make_unique<Core>(loop, std::move(options))) {}
RedisClient::~RedisClient() = default;
void RedisClient::Submit(KvRequest& request) { core_->Submit(request); }
void RedisClient::Abandon(KvRequest& request) { core_->Abandon(request); }
const std::string& RedisClient::name() const { return core_->options().name; }
std::size_t RedisClient::in_flight() const { return core_->in_flight(); }

}  // namespace rankd
