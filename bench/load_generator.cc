// A load from outside: drives a rankd process through its stdin and stdout.
//
// usage: load_generator OUTSTANDING REQUESTS WARMUP -- COMMAND...
//
// Keeps OUTSTANDING requests without an answer: writes one for each answer line that it reads.
// WARMUP requests come first and do not count. Prints one line of JSON: requests, outstanding,
// seconds, throughput_rps. With more outstanding than the command's --concurrency it is rankd that
// limits the load (a flood); with as many, it is the generator (a closed loop).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kRequest = "{\"user_id\":1}\n";

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Child {
  pid_t pid;
  int in;   ///< Its stdin, not blocking.
  int out;  ///< Its stdout.
};

Child Spawn(char** command) {
  int in[2];
  int out[2];
  if (pipe(in) != 0 || pipe(out) != 0) Die("pipe");
  const pid_t pid = fork();
  if (pid < 0) Die("fork");
  if (pid == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int descriptor : {in[0], in[1], out[0], out[1]}) close(descriptor);
    execvp(command[0], command);
    Die(command[0]);
  }
  close(in[0]);
  close(out[1]);
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  return {pid, in[1], out[0]};
}

/// Sends `total` requests; returns when all are answered.
class Driver {
 public:
  Driver(const Child& child, std::uint64_t outstanding)
      : child_(child), outstanding_(outstanding) {}

  void Send(std::uint64_t total) {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    while (answered < total) {
      const std::uint64_t may = std::min(total, answered + outstanding_) - sent;
      for (std::uint64_t i = 0; i < may; ++i) unsent_ += kRequest;
      sent += may;
      Write();
      pollfd waits[2] = {{child_.out, POLLIN, 0}, {child_.in, POLLOUT, 0}};
      poll(waits, unsent_.empty() ? 1 : 2, -1);
      if (waits[0].revents != 0) answered += ReadLines();
    }
  }

 private:
  void Write() {
    if (unsent_.empty()) return;
    const ssize_t count = write(child_.in, unsent_.data(), unsent_.size());
    if (count < 0 && errno != EAGAIN) Die("write");
    if (count > 0) unsent_.erase(0, static_cast<std::size_t>(count));
  }

  std::uint64_t ReadLines() {
    const ssize_t count = read(child_.out, block_.data(), block_.size());
    if (count <= 0) Die("the command has ended");
    return static_cast<std::uint64_t>(std::count(block_.begin(), block_.begin() + count, '\n'));
  }

  Child child_;
  std::uint64_t outstanding_;
  std::string unsent_;
  std::vector<char> block_ = std::vector<char>(std::size_t{256} << 10);
};

std::uint64_t Number(const char* text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0') {
    std::fprintf(stderr, "not a number: %s\n", text);
    std::exit(2);
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || std::string_view(argv[4]) != "--") {
    std::fputs("usage: load_generator OUTSTANDING REQUESTS WARMUP -- COMMAND...\n", stderr);
    return 2;
  }
  const std::uint64_t outstanding = std::max<std::uint64_t>(Number(argv[1]), 1);
  const std::uint64_t requests = Number(argv[2]);
  const std::uint64_t warmup = Number(argv[3]);
  const Child child = Spawn(argv + 5);
  Driver driver(child, outstanding);
  driver.Send(warmup);
  const Clock::time_point begun = Clock::now();
  driver.Send(requests);
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  close(child.in);
  int status = 0;
  waitpid(child.pid, &status, 0);
  std::printf("{\"requests\":%llu,\"outstanding\":%llu,\"seconds\":%.6f,\"throughput_rps\":%.1f}\n",
              static_cast<unsigned long long>(requests),
              static_cast<unsigned long long>(outstanding), seconds,
              static_cast<double>(requests) / seconds);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
