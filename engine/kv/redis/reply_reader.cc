#include "engine/kv/redis/reply_reader.h"

#include <algorithm>
#include <charconv>
#include <new>
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
void* Made(const redisReadTask* task, bool made) {
  if (made) return task->privdata;
  SinkOf(task).Refuse();
  return nullptr;
}

void* CreateString(const redisReadTask* task, char* text, std::size_t size) {
  ReplyKind kind = ReplyKind::kString;
  switch (task->type) {
    case REDIS_REPLY_STRING:
      // The two bytes are there, but hiredis does not look at them.
      if (text[size] != '\r' || text[size + 1] != '\n') return Made(task, false);
      break;
    case REDIS_REPLY_STATUS:
      kind = ReplyKind::kStatus;
      break;
    case REDIS_REPLY_ERROR:
      kind = ReplyKind::kError;
      break;
    default:
      return Made(task, false);  // a type of RESP 3, which was not asked for
  }
  return Made(task, SinkOf(task).Text(kind, std::string_view(text, size)));
}

/// The size is an int in hiredis 0.14 and a size_t later.
template <typename Size>
void* CreateArray(const redisReadTask* task, Size size) {
  return Made(
      task, task->type == REDIS_REPLY_ARRAY && SinkOf(task).Array(static_cast<std::size_t>(size)));
}

void* CreateInteger(const redisReadTask* task, long long value) {
  return Made(task, SinkOf(task).Integer(value));
}

void* CreateNil(const redisReadTask* task) {
  // A string or an array that is none; RESP 3 has a nil of its own, which was not asked for.
  return Made(task, task->type != REDIS_REPLY_NIL && SinkOf(task).Nil());
}

void FreeNothing(void*) {}

template <typename... Arguments>
void* Refuse(const redisReadTask* task, Arguments...) {
  return Made(task, false);
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
  Keep([&] { node.data = target_->Store(text); });
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
  // Without its elements, which are not there yet.
  const ReplyNode node = ReplyNode::Array(static_cast<std::uint32_t>(size), 1);
  const std::size_t number = target_ == nullptr ? 0 : target_->nodes().size();
  if (!Begin(node)) return false;
  if (size == 0) {
    End();
  } else {
    Expect(size);
    open_.push_back({number, size});
  }
  return true;
}

/// A long list that grows by doubling copies megabytes at a time, which timers wait for. The size
/// is the peer's word, so it is taken for no more than this; memory nobody writes to costs nothing.
void ReplySink::Expect(std::size_t elements) {
  constexpr std::size_t kLong = 10'000;
  constexpr std::size_t kMostExpected = 500'000;
  if (target_ == nullptr || elements < kLong) return;
  std::vector<ReplyNode>& nodes = target_->nodes();
  const std::size_t wanted = nodes.size() + std::min(elements, kMostExpected);
  if (wanted <= nodes.capacity()) return;
  Keep([&] { nodes.reserve(std::max(wanted, 2 * nodes.capacity())); });
}

/// Appends to the target, if there is one. Nothing may be thrown through hiredis.
template <typename Append>
void ReplySink::Keep(Append&& append) {
  if (target_ == nullptr) return;
  try {
    append();
  } catch (const std::bad_alloc&) {
    starved_ = true;
    target_ = nullptr;
  }
}

bool ReplySink::Begin(const ReplyNode& node) {
  if (target_ != nullptr && target_->nodes().size() >= kMostNodes) return false;
  Keep([&] {
    if (open_.empty()) target_->BeginRoot();
    target_->nodes().push_back(node);
  });
  return true;
}

void ReplySink::End() {
  while (!open_.empty()) {
    if (--open_.back().elements_left > 0) return;
    const std::size_t array = open_.back().node;
    open_.pop_back();
    if (target_ == nullptr) continue;
    target_->nodes()[array].array_span =
        static_cast<std::uint32_t>(target_->nodes().size() - array);
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
  starved_ = sink_.starved();
  if (status != REDIS_OK) return BrokenByHiredis();
  if (reply != nullptr) {
    sink_.BeginReply();
    return Progress::kReply;
  }
  if (const char* why = HopelessWait()) return Broken(why);
  return Progress::kMore;
}

ReplyReader::Progress ReplyReader::BrokenByHiredis() {
  // Our own refusals look like a lack of memory to hiredis.
  if (reader_->err != REDIS_ERR_OOM) return Broken(redisReaderGetError(reader_.get()));
  if (sink_.refused()) return Broken("a reply beyond the limits, or not of RESP 2");
  starved_ = true;
  return Broken("out of memory");
}

const char* ReplyReader::HopelessWait() const {
  // What cannot be complete yet stays in the buffer, which must not grow for ever. Its type has
  // been read, so it is a line, or a string's size and the part of the string that has come.
  const std::string_view waiting(reader_->buf + reader_->pos, reader_->len - reader_->pos);
  const std::size_t end = waiting.substr(0, kLongestLine + 2).find("\r\n");
  if (end == waiting.npos) return waiting.size() > kLongestLine ? "a line without an end" : nullptr;
  std::size_t size = 0;
  std::from_chars(waiting.data(), waiting.data() + end, size);
  return size > kLargestString ? "a string of more than 512 MiB" : nullptr;
}

ReplyReader::Progress ReplyReader::Broken(std::string error) {
  error_ = error.empty() ? "unreadable reply" : std::move(error);
  return Progress::kBroken;
}

}  // namespace rankd
