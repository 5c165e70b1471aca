#include "engine/kv/redis/reply_reader.h"

#include <cstring>
#include <utility>

#include <hiredis/hiredis.h>

#include "engine/base/check.h"

namespace rankd {
namespace {

constexpr std::size_t kMostNodes = (std::size_t{1} << 31) - 1;

/// Newer versions of hiredis know no limit of their own.
constexpr std::size_t kDeepest = 32;

ReplySink& SinkOf(const redisReadTask* task) { return *static_cast<ReplySink*>(task->privdata); }

/// hiredis only wants to know whether there is an object: null means that there is none.
void* Made(const redisReadTask* task, bool made) { return made ? task->privdata : nullptr; }

void* CreateString(const redisReadTask* task, char* text, std::size_t size) {
  ReplyKind kind = ReplyKind::kString;
  switch (task->type) {
    case REDIS_REPLY_STRING:
      break;
    case REDIS_REPLY_STATUS:
      kind = ReplyKind::kStatus;
      break;
    case REDIS_REPLY_ERROR:
      kind = ReplyKind::kError;
      break;
    default:
      return nullptr;  // a type of RESP 3, which was not asked for
  }
  return Made(task, SinkOf(task).Text(kind, std::string_view(text, size)));
}

/// The size is an int in hiredis 0.14 and a size_t later.
template <typename Size>
void* CreateArray(const redisReadTask* task, Size size) {
  if (task->type != REDIS_REPLY_ARRAY) return nullptr;
  return Made(task, SinkOf(task).Array(static_cast<std::size_t>(size)));
}

void* CreateInteger(const redisReadTask* task, long long value) {
  return Made(task, SinkOf(task).Integer(value));
}

void* CreateNil(const redisReadTask* task) { return Made(task, SinkOf(task).Nil()); }

void FreeNothing(void*) {}

template <typename... Arguments>
void* Refuse(Arguments...) {
  return nullptr;
}

/// The functions hiredis 0.14 has, and those that came with RESP 3.
template <typename Functions>
constexpr Functions MakeFunctions() {
  Functions functions{};
  functions.createString = &CreateString;
  functions.createArray = &CreateArray;
  functions.createInteger = &CreateInteger;
  functions.createNil = &CreateNil;
  functions.freeObject = &FreeNothing;
  if constexpr (requires { functions.createDouble; }) functions.createDouble = &Refuse;
  if constexpr (requires { functions.createBool; }) functions.createBool = &Refuse;
  return functions;
}

// hiredis takes it as mutable and never changes it.
redisReplyObjectFunctions* Functions() {
  static constexpr redisReplyObjectFunctions kFunctions =
      MakeFunctions<redisReplyObjectFunctions>();
  return const_cast<redisReplyObjectFunctions*>(&kFunctions);
}

}  // namespace

bool ReplySink::Text(ReplyKind kind, std::string_view text) {
  ReplyNode node;
  node.kind = kind;
  node.size = static_cast<std::uint32_t>(text.size());
  if (target_ != nullptr) node.data = target_->Store(text);
  if (!Begin(node)) return false;
  End();
  return true;
}

bool ReplySink::Integer(std::int64_t value) {
  ReplyNode node;
  node.kind = ReplyKind::kInteger;
  node.integer = value;
  if (!Begin(node)) return false;
  End();
  return true;
}

bool ReplySink::Nil() {
  if (!Begin(ReplyNode())) return false;
  End();
  return true;
}

bool ReplySink::Array(std::size_t size) {
  if (size > kMostNodes || open_.size() >= kDeepest) return false;
  ReplyNode node;
  node.kind = ReplyKind::kArray;
  node.size = static_cast<std::uint32_t>(size);
  const std::size_t number = target_ == nullptr ? 0 : target_->nodes().size();
  if (!Begin(node)) return false;
  if (size == 0) {
    End();
  } else {
    // Nothing is reserved: the size is the peer's word, its elements are still to come.
    open_.push_back({number, size});
  }
  return true;
}

bool ReplySink::Begin(const ReplyNode& node) {
  if (target_ == nullptr) return true;
  if (target_->nodes().size() >= kMostNodes) return false;
  if (open_.empty()) target_->BeginRoot();
  target_->nodes().push_back(node);
  return true;
}

void ReplySink::End() {
  while (!open_.empty()) {
    if (--open_.back().elements_left > 0) return;
    const std::size_t array = open_.back().node;
    open_.pop_back();
    if (target_ == nullptr) continue;
    target_->nodes()[array].span = static_cast<std::uint32_t>(target_->nodes().size() - array);
  }
}

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(Functions())) {
  RANKD_CHECK(reader_ != nullptr);
  reader_->privdata = &sink_;    // the macro for it is not C++ in 0.14
  reader_->maxbuf = 8 * kSlice;  // what an empty buffer may keep; the default is freed each time
}

ReplyReader::~ReplyReader() = default;

void ReplyReader::Feed(std::string_view bytes) {
  // An error stays in the reader, and Next tells it.
  static_cast<void>(redisReaderFeed(reader_.get(), bytes.data(), bytes.size()));
}

ReplyReader::Progress ReplyReader::Next(Replies* target) {
  if (!error_.empty()) return Progress::kBroken;
  sink_.SetTarget(target);
  void* reply = nullptr;
  const int status = redisReaderGetReply(reader_.get(), &reply);
  sink_.SetTarget(nullptr);
  if (status != REDIS_OK) {
    // Our own refusals look like a lack of memory to hiredis.
    return Broken(reader_->err == REDIS_ERR_OOM ? "a reply beyond the limits, or not of RESP 2"
                                                : redisReaderGetError(reader_.get()));
  }
  if (reply != nullptr) return Progress::kReply;
  // What cannot be complete yet stays in the buffer, which must not grow for ever.
  const std::size_t waiting = reader_->len - reader_->pos;
  if (waiting > kLargestString + kLongestLine) return Broken("a string of more than 512 MiB");
  if (waiting > kLongestLine &&
      std::memchr(reader_->buf + reader_->pos, '\n', kLongestLine) == nullptr) {
    return Broken("a line without an end");
  }
  return Progress::kMore;
}

ReplyReader::Progress ReplyReader::Broken(std::string error) {
  error_ = error.empty() ? "unreadable reply" : std::move(error);
  return Progress::kBroken;
}

}  // namespace rankd
