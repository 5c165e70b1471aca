#include "cli/workspace.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/plan/plan_files.h"
#include "engine/plan/registry.h"

namespace rankd {
namespace {

constexpr const char* kDefaultEnv = "demo";

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;
}

/// A file name is made of it.
bool IsEnvName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

void ReportAll(const std::string& file, const Problems& problems, Console& console) {
  for (const Problem& problem : problems.all()) console.Report(file, problem);
}

}  // namespace

Workspace::Workspace(std::string plan_dir, const TaskCatalog& tasks, Console& console)
    : plan_dir_(std::move(plan_dir)), tasks_(tasks), console_(console) {}

std::unique_ptr<Workspace> Workspace::Open(const WorkspaceOptions& options,
                                           const Environment& environment, const TaskCatalog& tasks,
                                           Console& console) {
  Result<std::string> plan_dir = FindPlanDir(options, environment);
  if (!plan_dir) {
    console.Error(plan_dir.error().message);
    return nullptr;
  }
  std::unique_ptr<Workspace> workspace(new Workspace(*std::move(plan_dir), tasks, console));
  const std::optional<std::string>& env = options.env ? options.env : environment.env;
  bool sound = workspace->ReadRegistry();
  sound = workspace->ReadEndpoints(env.value_or(kDefaultEnv), env.has_value()) && sound;
  if (options.redis_url) {
    sound = workspace->Redirect(*options.redis_url, "--redis") && sound;
  } else if (environment.redis_url) {
    sound = workspace->Redirect(*environment.redis_url, "REDIS_URL") && sound;
  }
  if (!sound) return nullptr;
  workspace->plans_ =
      std::make_unique<PlanCache>(workspace->plan_context(), options.params, console);
  return workspace;
}

bool Workspace::ReadRegistry() {
  const std::string file = plan_dir_ + "/registry.json";
  if (!Exists(file)) return true;
  Problems problems;
  if (const std::optional<JsonDocument> document = ReadJsonFile(file, problems)) {
    registry_ = ParseRegistry(document->root(), problems);
  }
  ReportAll(file, problems, console_);
  return !problems.has_errors();
}

/// Without the file there are no endpoints, which is an error only if it was asked for.
bool Workspace::ReadEndpoints(const std::string& env, bool required) {
  if (!IsEnvName(env)) {
    console_.Error("\"" + env + "\" is no environment name: letters, digits, _ and - make one");
    return false;
  }
  const std::string file = plan_dir_ + "/endpoints." + env + ".json";
  if (!required && !Exists(file)) return true;
  Problems problems;
  if (const std::optional<JsonDocument> document = ReadJsonFile(file, problems)) {
    endpoints_ = ParseEndpoints(document->root(), problems);
  }
  ReportAll(file, problems, console_);
  return !problems.has_errors();
}

bool Workspace::Redirect(const std::string& url, const char* from) {
  const Result<RedisUrl> parsed = ParseRedisUrl(url);
  if (!parsed) {
    console_.Error(std::string(from) + ": " + parsed.error().message);
    return false;
  }
  endpoints_.RedirectTo(*parsed);
  return true;
}

std::shared_ptr<const MemoryStore> Workspace::LoadStore(const EndpointSpec& endpoint) {
  if (endpoint.data.empty()) return std::make_shared<MemoryStore>();
  const std::string file = (std::filesystem::path(plan_dir_) / endpoint.data).string();
  std::shared_ptr<const MemoryStore>& store = stores_[file];
  if (store != nullptr) return store;
  Problems problems;
  if (Result<std::string> text = ReadWholeFile(file)) {
    std::vector<Error> errors;
    store = MemoryStore::FromJson(*std::move(text), errors);
    for (Error& error : errors) {
      problems.Add(std::move(error.pointer), std::move(error.message), error.code);
    }
  } else {
    problems.Add("", text.error().message);
  }
  ReportAll(file, problems, console_);
  return store;
}

}  // namespace rankd
