// fuzz_replay FOLDER…: every file of FOLDER/TARGET through its target, the corpora and the crashes
// of before, with any compiler. `fuzz_replay TARGET=FILE` is one of them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

constexpr Target kTargets[] = {
    {"plans", rankd::fuzz::FuzzPlans},
    {"declarations", rankd::fuzz::FuzzDeclarations},
    {"requests", rankd::fuzz::FuzzRequests},
    {"expressions", rankd::fuzz::FuzzExpressions},
    {"expression_trees", rankd::fuzz::FuzzExpressionTrees},
    {"replies", rankd::fuzz::FuzzReplies},
    {"schedules", rankd::fuzz::FuzzSchedules},
};

const Target* FindTarget(std::string_view name) {
  const auto* found = std::ranges::find(kTargets, name, &Target::name);
  return found == std::end(kTargets) ? nullptr : found;
}

bool ReplayFile(const Target& target, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path.c_str());
    return false;
  }
  // Said first: the target may not come back.
  std::printf("%s %s\n", std::string(target.name).c_str(), path.filename().c_str());
  std::fflush(stdout);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  target.run(bytes);
  return true;
}

/// How many files were replayed; -1 when something is not as it should be.
int ReplayFolder(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.is_directory()) continue;  // a note
    const Target* target = FindTarget(entry.path().filename().string());
    if (target == nullptr) {
      std::fprintf(stderr, "%s is of no target\n", entry.path().c_str());
      return -1;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(entry.path())) {
      files.push_back(file.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) {
      if (!ReplayFile(*target, file)) return -1;
      ++count;
    }
  }
  if (error) {
    std::fprintf(stderr, "%s: %s\n", folder.c_str(), error.message().c_str());
    return -1;
  }
  return count;
}

int Replay(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return ReplayFolder(argument);
  const Target* target = FindTarget(std::string_view(argument).substr(0, equals));
  if (target == nullptr) {
    std::fprintf(stderr, "no target %s\n", argument.c_str());
    return -1;
  }
  return ReplayFile(*target, argument.substr(equals + 1)) ? 1 : -1;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    const int replayed = Replay(argv[i]);
    if (replayed < 0) return 1;
    count += replayed;
  }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
