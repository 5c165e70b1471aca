#include "engine/kv/redis/name_lookup.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>

namespace rankd {

/// What the thread and the loop share; kept by both, for either may be the last.
class NameLookup::Work final : public LoopTask {
 public:
  explicit Work(NameLookup& owner) : loop_(owner.loop_), owner_(&owner) {}

  /// From the thread.
  void Finish(Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return;
    outcome_ = std::move(outcome);
    posted_ = true;
    loop_->Post(*this);
  }

  /// The owner goes. True when the loop still refers to this.
  bool Abandon() {
    owner_ = nullptr;
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
    return posted_;
  }

  void OnLoop() override {
    if (owner_ != nullptr) owner_->Done(std::move(outcome_));
  }

 private:
  std::mutex mutex_;
  UvLoop* loop_;         ///< Guarded by mutex_; null once nobody waits.
  bool posted_ = false;  ///< Guarded by mutex_.
  Outcome outcome_;      ///< The thread's until it has posted.
  NameLookup* owner_;    ///< The loop thread's.
};

NameLookup::NameLookup(UvLoop& loop, std::string host, std::uint16_t port)
    : loop_(&loop), host_(std::move(host)), port_(port) {}

NameLookup::~NameLookup() {
  if (work_ != nullptr && work_->Abandon()) loop_->Keep(std::move(work_));
}

void NameLookup::Find(NameListener& listener) {
  listener_ = &listener;
  if (outcome_) {
    Tell(*std::exchange(outcome_, std::nullopt));
    return;
  }
  if (work_ != nullptr) return;
  work_ = std::make_shared<Work>(*this);
  try {
    std::thread([work = work_, host = host_, port = port_] {
      try {
        work->Finish(AskSystem(host, port));
      } catch (const std::bad_alloc&) {
        work->Finish({{}, "out of memory"});
      }
    }).detach();
  } catch (const std::system_error& error) {
    work_.reset();
    Tell({{}, std::string("no thread to look its name up: ") + error.what()});
  }
}

NameLookup::Outcome NameLookup::AskSystem(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  Outcome outcome;
  if (status != 0) {
    outcome.reason =
        status == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(status);
    return outcome;
  }
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, at->ai_addr, at->ai_addrlen);
    outcome.addresses.emplace_back(storage);
  }
  freeaddrinfo(found);
  outcome.reason = "the name has no address";
  return outcome;
}

void NameLookup::Done(Outcome outcome) {
  work_.reset();  // the thread keeps it for as long as it needs it
  if (listener_ == nullptr) {
    outcome_ = std::move(outcome);
  } else {
    Tell(std::move(outcome));
  }
}

void NameLookup::Tell(Outcome outcome) {
  NameListener* listener = std::exchange(listener_, nullptr);
  if (outcome.addresses.empty()) {
    listener->OnNoAddress(std::move(outcome.reason));
  } else {
    listener->OnAddresses(std::move(outcome.addresses));
  }
}

}  // namespace rankd
