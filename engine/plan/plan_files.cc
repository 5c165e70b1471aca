#include "engine/plan/plan_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

std::unexpected<Error> SystemFailure(ErrorCode code, std::string what, int error) {
  return Fail(code, std::move(what) + ": " + std::generic_category().message(error));
}

/// Closes a file descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Error> TooLong(std::size_t limit) {
  const bool whole = limit % (std::size_t{1} << 20) == 0;
  return Fail(ErrorCode::kInvalidPlan,
              "the file is longer than " + (whole ? std::to_string(limit >> 20) + " MiB"
                                                  : std::to_string(limit) + " bytes"));
}

/// Also for what has no length, such as a pipe.
Result<std::string> ReadAll(int fd, std::size_t expected, std::size_t limit) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  constexpr std::size_t kRoomBehind = 64;  // for parsers that read beyond the end
  std::string bytes;
  bytes.reserve(expected + 1 + kRoomBehind);
  std::size_t size = 0;
  while (true) {
    // One byte more than there should be, to see that there is none.
    if (size == bytes.size())
      bytes.resize(size > 0 ? size * 2 : expected > 0 ? expected + 1 : kBlock);
    const ssize_t got = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFailure(ErrorCode::kInvalidPlan, "cannot read the file", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) return TooLong(limit);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string PlanPath(std::string_view plan_dir, std::string_view name) {
  std::string path(plan_dir);
  if (!path.empty() && path.back() != '/') path.push_back('/');
  path += name;
  path += kPlanSuffix;
  return path;
}

std::optional<std::string> PlanNameOf(std::string_view path) {
  if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos) {
    path.remove_prefix(slash + 1);
  }
  if (!path.ends_with(kPlanSuffix)) return std::nullopt;
  path.remove_suffix(kPlanSuffix.size());
  if (!IsPlanName(path)) return std::nullopt;
  return std::string(path);
}

Result<std::vector<std::string>> ListPlans(const std::string& plan_dir) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  const fs::path dir(plan_dir.empty() ? "." : plan_dir);
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error)) {
    std::optional<std::string> name = PlanNameOf(entry->path().string());
    std::error_code unknown_kind;
    if (name && !entry->is_directory(unknown_kind)) names.push_back(*std::move(name));
  }
  if (error) {
    return SystemFailure(ErrorCode::kUnknownPlan, "cannot read the plan directory " + dir.string(),
                         error.value());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> FindPlan(const std::string& plan_dir, std::string_view name) {
  if (!IsPlanName(name)) {
    return Fail(ErrorCode::kUnknownPlan,
                JsonQuoted(name) + " is no plan name (it may hold A-Z a-z 0-9 _)");
  }
  std::string path = PlanPath(plan_dir, name);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  // Something stands there that cannot be looked at: reading it tells why.
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    return path;
  }
  RANKD_TRY(const std::vector<std::string> names, ListPlans(plan_dir));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return Fail(ErrorCode::kUnknownPlan,
              "no plan " + JsonQuoted(name) + " (" + path + ")" + DidYouMean(name, known));
}

Result<std::string> ReadWholeFile(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) {
    return Fail(ErrorCode::kInvalidPlan, "there is no such file");
  }
  if (file.get() < 0) {
    return SystemFailure(ErrorCode::kInvalidPlan, "cannot open the file", errno);
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    return SystemFailure(ErrorCode::kInvalidPlan, "cannot read the file", errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return Fail(ErrorCode::kInvalidPlan, "it is a directory, not a file");
  }
  const std::size_t size = status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
  if (size > limit) return TooLong(limit);
  return ReadAll(file.get(), size, limit);
}

std::optional<JsonDocument> ReadJsonFile(const std::string& path, Problems& problems,
                                         std::size_t limit) {
  const auto report = [&](const Error& error) { problems.Add("", error.message); };
  const Result<std::string> text = ReadWholeFile(path, limit);
  if (!text) {
    report(text.error());
    return std::nullopt;
  }
  Result<JsonDocument> document = ParseJson(*text);
  if (!document) {
    report(document.error());
    return std::nullopt;
  }
  return *std::move(document);
}

Result<std::unique_ptr<const Plan>> PlanDirectory::Load(std::string_view name, Problems& problems) {
  RANKD_TRY(const std::string path, FindPlan(plan_dir_, name));
  std::optional<JsonDocument> document = ReadJsonFile(path, problems);
  if (!document) return nullptr;
  return ParsePlan(*std::move(document), registry_, name, problems);
}

}  // namespace rankd
