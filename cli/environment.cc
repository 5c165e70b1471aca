#include "cli/environment.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace rankd {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> Variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool IsDirectory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// Below the binary's folder: as installed, in engine/bin, in a build directory's bin.
constexpr std::array kBesideBinary = {"../share/rankd/plans", "../../plans", "../../../plans"};

}  // namespace

Environment Environment::OfProcess() {
  Environment environment;
  environment.plan_dir = Variable("RANKD_PLAN_DIR");
  environment.env = Variable("RANKD_ENV");
  environment.redis_url = Variable("REDIS_URL");
  environment.binary = "/proc/self/exe";
  return environment;
}

Result<std::string> FindPlanDir(const WorkspaceOptions& options, const Environment& environment) {
  const auto named = [](const std::string& dir, const char* from) -> Result<std::string> {
    if (IsDirectory(dir)) return dir;
    return Fail(ErrorCode::kInvalidPlan, std::string(from) + ": " + dir + " is no directory");
  };
  if (options.plan_dir) return named(*options.plan_dir, "--plan_dir");
  if (options.plan_file) {
    const fs::path folder = fs::path(*options.plan_file).parent_path();
    return folder.empty() ? "." : folder.string();
  }
  if (environment.plan_dir) return named(*environment.plan_dir, "RANKD_PLAN_DIR");
  if (IsDirectory("plans")) return "plans";
  std::error_code error;
  const fs::path binary = fs::read_symlink(environment.binary, error);
  for (const char* place : kBesideBinary) {
    if (error) break;
    const fs::path dir = (binary.parent_path() / place).lexically_normal();
    if (IsDirectory(dir)) return dir.string();
  }
  return Fail(ErrorCode::kInvalidPlan,
              "there is no plan directory: give --plan_dir, or make ./plans");
}

}  // namespace rankd
