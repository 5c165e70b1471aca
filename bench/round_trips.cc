// The bare round trips that bench/plans/follow_ten needs, and nothing else, with hiredis, which
// blocks: HGETALL of the user; LRANGE of whom they follow; one pipeline of an HMGET for each of
// them. The floor of latency.py.
//
// usage: round_trips PORT USERS ROUNDS [--warmup N]
//
// Prints one line of JSON: p50_us, p99_us, mean_us, round_trips (per round).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hiredis/hiredis.h>

namespace {

struct Free {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, Free>;

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "round_trips: %s\n", what);
  std::exit(1);
}

class Client {
 public:
  explicit Client(int port) : context_(redisConnect("127.0.0.1", port)) {
    if (context_ == nullptr || context_->err != 0) Die("cannot connect");
  }

  /// One user's, to the end.
  void Rounds(long user) {
    redisAppendCommand(context_.get(), "HGETALL user:%ld", user);
    if (Next()->elements == 0) Die("no such user");
    redisAppendCommand(context_.get(), "LRANGE follow:%ld 0 9", user);
    const Reply followed = Next();
    for (std::size_t i = 0; i < followed->elements; ++i) {
      redisAppendCommand(context_.get(), "HMGET user:%s country followers",
                         followed->element[i]->str);
    }
    for (std::size_t i = 0; i < followed->elements; ++i) {
      if (Next()->elements != 2) Die("a hash without its fields");
    }
  }

 private:
  Reply Next() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) Die("the connection was lost");
    return Reply(static_cast<redisReply*>(reply));
  }

  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) Die("usage: round_trips PORT USERS ROUNDS [--warmup N]");
  const long users = std::max(1L, std::atol(argv[2]));
  const long rounds = std::max(1L, std::atol(argv[3]));
  const bool has_warmup = argc > 5 && std::string_view(argv[4]) == "--warmup";
  const long warmup = has_warmup ? std::atol(argv[5]) : 1000;
  Client client(std::atoi(argv[1]));
  std::vector<double> taken;
  taken.reserve(static_cast<std::size_t>(rounds));
  double sum = 0;
  for (long i = 0; i < warmup + rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    client.Rounds(i % users + 1);
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
    if (i < warmup) continue;
    taken.push_back(us.count());
    sum += us.count();
  }
  std::ranges::sort(taken);
  const auto at = [&](std::size_t percent) { return taken[(taken.size() - 1) * percent / 100]; };
  std::printf("{\"round_trips\":3,\"p50_us\":%.2f,\"p99_us\":%.2f,\"mean_us\":%.2f}\n", at(50),
              at(99), sum / static_cast<double>(rounds));
}
