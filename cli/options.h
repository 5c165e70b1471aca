// The command line, checked and turned into values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench_options.h"
#include "engine/base/cpu_mode.h"

namespace rankd {

enum class Command : std::uint8_t { kRun, kCheck, kExplain, kPlans, kTasks, kKeys, kDemoData };

/// One --param NAME=VALUE; what VALUE means is the param's type to say.
struct ParamFlag {
  std::string name;
  std::string value;
};

/// Where plans, registry and endpoints come from: of every command.
struct WorkspaceOptions {
  std::optional<std::string> plan_name;  ///< At most one of the two.
  std::optional<std::string> plan_file;
  std::optional<std::string> plan_dir;
  std::optional<std::string> env;
  std::optional<std::string> redis_url;
  std::vector<ParamFlag> params;
};

/// How requests are run.
struct RunOptions {
  std::optional<std::chrono::milliseconds> deadline;  ///< 0: none.
  std::optional<std::chrono::milliseconds> node_timeout;
  std::size_t concurrency = 64;
  std::uint32_t loops = 1;                 ///< Event loops that requests run on.
  std::optional<std::size_t> cpu_threads;  ///< Nullopt: one for each core.
  CpuMode cpu = CpuMode::kAuto;
  bool unordered = false;
  bool allow_unknown_fields = false;
  std::size_t max_request_bytes = std::size_t{16} << 20;
};

/// What is written of requests beside their answers; paths.
struct RecordOptions {
  std::optional<std::string> trace_file;
  std::optional<std::string> log_file;
};

enum class ExplainFormat : std::uint8_t { kText, kDot, kMermaid, kJson };

/// What `explain` makes.
struct ExplainOptions {
  std::optional<ExplainFormat> format;  ///< To stdout; nullopt when only an SVG was asked for.
  std::optional<std::string> svg_file;
};

struct Options {
  Command command = Command::kRun;
  WorkspaceOptions workspace;
  RunOptions run;
  RecordOptions records;
  std::optional<BenchOptions> bench;
  bool quiet = false;
  bool json = false;               ///< Of the commands that list things.
  std::vector<std::string> plans;  ///< Of `check` and `explain` (just one): names or files.
  ExplainOptions explain;
};

/// The command line asks for nothing but a text, or is wrong.
struct EarlyExit {
  int status = 0;
  std::string output;  ///< For stdout: help or version.
  std::string error;   ///< What is wrong, one line without prefix.
};

/// `arguments`: without the program's name. Long flags may be written with `_` or `-`.
std::expected<Options, EarlyExit> ParseOptions(std::span<const std::string> arguments);

}  // namespace rankd
