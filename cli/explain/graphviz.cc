#include "cli/explain/graphviz.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"

namespace rankd {
namespace {

std::string SystemText(int error) { return std::generic_category().message(error); }

std::unexpected<std::string> SystemFailure(std::string_view what) {
  return std::unexpected(std::string(what) + ": " + SystemText(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return descriptor_; }
  bool valid() const { return descriptor_ >= 0; }
  /// What close() says; 0 for none.
  int Close() {
    const int closed = valid() ? ::close(descriptor_) : 0;
    descriptor_ = -1;
    return closed == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// A file in memory that no path leads to: what a program reads or writes there blocks nobody.
Descriptor MemoryFile(std::string_view text = {}) {
  Descriptor file(::memfd_create("rankd", MFD_CLOEXEC));
  if (!file.valid() || !WriteAll(file.get(), text) || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return Descriptor();
  }
  return file;
}

/// Appends what can be read; false at the end or on an error.
bool ReadSome(int descriptor, std::string& text) {
  std::array<char, 1 << 16> block;
  const ssize_t count = ::read(descriptor, block.data(), block.size());
  if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// What a program that ended badly complained of, its first line.
std::string FirstLine(int descriptor) {
  std::string text;
  if (::lseek(descriptor, 0, SEEK_SET) == 0) ReadSome(descriptor, text);
  return text.substr(0, text.find('\n'));
}

/// A child process that is killed, if it still runs, and waited for.
class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { Kill(); }

  /// 0, or the error of posix_spawnp.
  int Start(const std::string& program, int in, int out, int err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    std::string name = program;
    std::string format = "-Tsvg";
    const std::array<char*, 3> arguments = {name.data(), format.data(), nullptr};
    const int error =
        ::posix_spawnp(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) pid_ = -1;
    return error;
  }

  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  /// Its status, as of waitpid, once it has ended; nullopt when the time is over.
  std::optional<int> WaitUntil(TimePoint deadline) {
    constexpr std::chrono::milliseconds kStep{2};
    for (;;) {
      int status = 0;
      const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        pid_ = -1;
        return status;
      }
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(kStep);
    }
  }

 private:
  pid_t pid_ = -1;
};

/// Reads until the other end is closed; false when the time is over.
bool ReadUntilClosed(int descriptor, TimePoint deadline, std::string& text) {
  pollfd readable = {descriptor, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          deadline - std::chrono::steady_clock::now())
                          .count();
    if (left <= 0) return false;
    const int polled = ::poll(&readable, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (polled > 0 && !ReadSome(descriptor, text)) return true;
  }
}

std::string NotStarted(const std::string& program, int error) {
  if (error == ENOENT) {
    return program + " is not installed; it is in the package graphviz (apt-get install graphviz)";
  }
  return "cannot run " + program + ": " + SystemText(error);
}

/// Writes beside `path` first, so that the file is never half written.
std::expected<void, std::string> ReplaceRegularFile(const std::string& path, mode_t mode,
                                                    std::string_view text) {
  std::string draft = path + ".XXXXXX";
  Descriptor file(::mkostemp(draft.data(), O_CLOEXEC));
  if (!file.valid()) return std::unexpected(SystemText(errno));
  int error = 0;
  if (!WriteAll(file.get(), text) || ::fchmod(file.get(), mode) != 0) error = errno;
  if (const int closed = file.Close(); error == 0) error = closed;
  if (error == 0 && ::rename(draft.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(draft.c_str());
  return std::unexpected(SystemText(error));
}

}  // namespace

std::expected<std::string, std::string> RenderSvg(std::string_view graph,
                                                  std::chrono::milliseconds limit,
                                                  const std::string& program) {
  const Descriptor in = MemoryFile(graph);
  const Descriptor err = MemoryFile();
  std::array<int, 2> ends = {-1, -1};
  if (!in.valid() || !err.valid() || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return SystemFailure("cannot run " + program);
  }
  const Descriptor out(ends[0]);
  Descriptor childs_out(ends[1]);
  const TimePoint deadline = std::chrono::steady_clock::now() + limit;
  Child child;
  if (const int error = child.Start(program, in.get(), childs_out.get(), err.get()); error != 0) {
    return std::unexpected(NotStarted(program, error));
  }
  childs_out.Close();
  std::string svg;
  // One that has closed its output may go on all the same.
  const bool closed = ReadUntilClosed(out.get(), deadline, svg);
  const std::optional<int> ended = closed ? child.WaitUntil(deadline) : std::nullopt;
  if (!ended) {
    return std::unexpected(program + " took longer than " + std::to_string(limit.count() / 1000) +
                           " s for this graph and was stopped");
  }
  const int status = *ended;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return svg;
  const std::string complaint = FirstLine(err.get());
  const std::string how = WIFSIGNALED(status)
                              ? "was ended by signal " + std::to_string(WTERMSIG(status))
                              : "failed with status " + std::to_string(WEXITSTATUS(status));
  return std::unexpected(program + " " + how + (complaint.empty() ? "" : ": " + complaint));
}

std::expected<void, std::string> ReplaceFile(const std::string& path, std::string_view text) {
  struct stat present = {};
  const bool exists = ::stat(path.c_str(), &present) == 0;
  if (exists && !S_ISREG(present.st_mode)) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.valid() && WriteAll(file.get(), text) && file.Close() == 0) return {};
    return std::unexpected(SystemText(errno));
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  // A link stays one: what it leads to is replaced.
  std::error_code error;
  const std::string target = exists ? std::filesystem::canonical(path, error).string() : path;
  if (error) return std::unexpected(error.message());
  return ReplaceRegularFile(target, exists ? present.st_mode & 07777U : 0666U & ~mask, text);
}

}  // namespace rankd
