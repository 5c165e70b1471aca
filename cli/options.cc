#include "cli/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/exit_status.h"
#include "cli/flag_values.h"
#include "engine/base/suggest.h"
#include "engine/wire/request.h"

namespace rankd {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 53;
constexpr std::int64_t kMaxConcurrency = 1'000'000;
constexpr std::int64_t kMaxThreads = 1024;
/// Each has connections of its own.
constexpr std::int64_t kMaxLoops = 64;

constexpr const char* kDescription =
    "rankd runs JSON plans: requests on stdin, one response line for each on stdout.";

constexpr const char* kExamples =
    R"(Examples:
  echo '{"user_id": 1}' | rankd --plan_name simple_plan
  rankd --plan_name mixed_pipeline --redis redis://127.0.0.1:6379 < requests.ndjson
  rankd check simple_plan plans/mixed_pipeline.plan.json)";

/// A flag as it was given; numbers and names are checked after the parse, for better messages.
struct RawOptions {
  std::string plan_name, plan_file, plan_dir, env, redis_url;
  std::string deadline, node_timeout, concurrency, loops, cpu_threads, cpu, max_request_bytes;
  std::string trace, log;
  std::string explain_format, svg_file;
  std::vector<std::string> params;
  BenchFlags bench;
  bool async_scheduler = false;
  Options options;
};

/// `--plan-name=a-b` as `--plan_name=a-b`; what is no long flag stays as it is.
std::string WithUnderscores(std::string argument) {
  if (!argument.starts_with("--")) return argument;
  const std::size_t end = std::min(argument.find('='), argument.size());
  std::replace(argument.begin() + 2, argument.begin() + static_cast<std::ptrdiff_t>(end), '-', '_');
  return argument;
}

/// Flags without a value.
constexpr std::array<std::string_view, 8> kSwitches = {"--unordered",
                                                       "--allow_unknown_fields",
                                                       "--async_scheduler",
                                                       "--quiet",
                                                       "--json",
                                                       "--version",
                                                       "--help",
                                                       "--"};

/// Flags by the names they are known by; values as they are. CLI11 would take "--flag=" for a flag
/// whose value comes next.
std::vector<std::string> Normalized(std::span<const std::string> arguments) {
  std::vector<std::string> normalized;
  bool flags = true;
  bool is_value = false;
  for (const std::string& argument : arguments) {
    if (is_value || !flags) {
      normalized.push_back(argument);
      is_value = false;
      continue;
    }
    if (argument == "--") flags = false;
    std::string flag = argument == "--" ? argument : WithUnderscores(argument);
    const bool ends_empty = flag.starts_with("--") && flag.find('=') == flag.size() - 1;
    if (ends_empty) flag.pop_back();
    const bool takes_value = flag.starts_with("--") && flag.find('=') == std::string::npos &&
                             std::ranges::find(kSwitches, flag) == kSwitches.end();
    is_value = takes_value && !ends_empty;
    normalized.push_back(std::move(flag));
    if (ends_empty && takes_value) normalized.emplace_back();
  }
  return normalized;
}

void AddPlanFlags(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  const auto add = [&](const char* name, std::string& value, const char* text, const char* help) {
    if (wanted.Has(name)) app.add_option(name, value, help)->option_text(text)->group("Plan");
  };
  add("--plan_name", raw.plan_name, "NAME", "run the plan NAME of the plan directory");
  add("--plan", raw.plan_file, "FILE", "run the plan in FILE");
  add("--plan_dir", raw.plan_dir, "DIR",
      "where plans, registry and endpoints are (else\nRANKD_PLAN_DIR, ./plans or the installed "
      "ones; "
      "with\n--plan, FILE's folder)");
  add("--env", raw.env, "NAME",
      "use endpoints.NAME.json of the plan directory\n(else RANKD_ENV, or demo)");
  add("--redis", raw.redis_url, "URL",
      "use this server for every endpoint (else REDIS_URL):\n"
      "redis://[user:password@]host[:port][/db] or\nunix:///path");
  if (!wanted.Has("--param")) return;
  app.add_option("--param", raw.params, "a default for every request; may be repeated")
      ->option_text("NAME=VALUE")
      ->group("Plan")
      ->expected(1)
      ->take_all();
}

void AddRequestFlags(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  RunOptions& run = raw.options.run;
  const auto add = [&](const char* name, std::string& value, const char* text, const char* help) {
    if (wanted.Has(name)) app.add_option(name, value, help)->option_text(text)->group("Requests");
  };
  add("--deadline_ms", raw.deadline, "N", "time a request may take (0: no limit, the default)");
  add("--node_timeout_ms", raw.node_timeout, "N",
      "time a node may take (0: no limit, the default)");
  const auto add_switch = [&](const char* name, bool& value, const char* help) {
    if (wanted.Has(name)) app.add_flag(name, value, help)->group("Requests");
  };
  add_switch("--unordered", run.unordered, "answer requests as they finish");
  add_switch("--allow_unknown_fields", run.allow_unknown_fields,
             "ignore request fields that rankd does not know");
  add("--max_request_bytes", raw.max_request_bytes, "N",
      "longest request taken (default 16777216)");
}

void AddExecutionFlags(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  const auto add = [&](const char* name, std::string& value, const char* text, const char* help) {
    if (wanted.Has(name)) app.add_option(name, value, help)->option_text(text)->group("Execution");
  };
  add("--concurrency", raw.concurrency, "N", "requests in flight (default 64)");
  add("--loops", raw.loops, "N",
      "event loops, each with its own thread and\nconnections (default 1)");
  add("--cpu_threads", raw.cpu_threads, "N", "threads for CPU work (default: one for each core)");
  add("--cpu", raw.cpu, "MODE",
      "where CPU work runs: auto (the default), inline, offload or fused");
  if (!wanted.Has("--async_scheduler")) return;
  app.add_flag("--async_scheduler", raw.async_scheduler,
               "accepted; the scheduler is always asynchronous")
      ->group("Execution");
}

void AddRecordFlags(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    if (wanted.Has(name)) app.add_option(name, value, help)->option_text("FILE")->group("Records");
  };
  add("--trace", raw.trace, "write trace-event JSON, for ui.perfetto.dev or\nchrome://tracing");
  add("--log", raw.log, "append one JSON line for each request");
}

void AddGeneralFlags(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  if (wanted.Has("--quiet")) {
    app.add_flag("--quiet", raw.options.quiet, "no notes on stderr, errors only")->group("General");
  }
  if (wanted.Has("--version")) {
    app.set_version_flag("--version", "rankd " RANKD_VERSION, "print the version and exit")
        ->group("General");
  }
  if (wanted.Has("--help") || wanted.Has("-h")) {
    app.set_help_flag("--help,-h", "print this text and exit")->group("General");
  }
}

/// Without the flag for help that CLI11 makes for everybody.
class App final : public CLI::App {
 public:
  App(const char* description, const char* name) : CLI::App(description, name, nullptr) {}
};

CLI::App* AddCommand(CLI::App& app, RawOptions& raw, const char* name, Command command,
                     const char* help) {
  CLI::App* sub = app.add_subcommand(name, help)->group("Commands")->fallthrough();
  sub->footer("The flags that rankd --help shows may be given too.");
  sub->callback([&raw, command] { raw.options.command = command; });
  return sub;
}

void AddJson(CLI::App& command, RawOptions& raw) {
  command.add_flag("--json", raw.options.json, "as one line of JSON");
}

void AddExplain(CLI::App& app, RawOptions& raw) {
  CLI::App* explain = AddCommand(app, raw, "explain", Command::kExplain,
                                 "draw a plan's graph, with what runs where");
  explain->add_option("PLAN", raw.options.plans, "name or file of a plan")->option_text(" ");
  explain
      ->add_option("--format", raw.explain_format,
                   "text (the default), dot for Graphviz, mermaid\nor json")
      ->option_text("FORMAT");
  explain->add_option("--svg", raw.svg_file, "draw it into FILE, with Graphviz' dot")
      ->option_text("FILE");
}

void AddCheck(CLI::App& app, RawOptions& raw) {
  CLI::App* check = AddCommand(app, raw, "check", Command::kCheck, "validate plans");
  check->add_option("PLAN", raw.options.plans, "names or files of plans")->option_text("...");
  AddJson(*check, raw);
}

void AddCommands(CLI::App& app, const WantedNames& wanted, RawOptions& raw) {
  if (wanted.Has("check")) AddCheck(app, raw);
  if (wanted.Has("explain")) AddExplain(app, raw);
  const auto add_list = [&](const char* name, Command command, const char* help) {
    if (wanted.Has(name)) AddJson(*AddCommand(app, raw, name, command, help), raw);
  };
  add_list("plans", Command::kPlans, "list the plans there are");
  add_list("tasks", Command::kTasks, "list the ops that nodes may have");
  add_list("keys", Command::kKeys, "list the registry's keys and params");
  if (wanted.Has("demo-data")) {
    AddCommand(app, raw, "demo-data", Command::kDemoData,
               "print the demo data as Redis commands,\nfor redis-cli --pipe");
  }
  app.require_subcommand(0, 1);
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) names.push_back(option->get_name());
  }
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

[[noreturn]] void RefuseName(std::string_view what, std::string_view name,
                             const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::optional<std::string_view> nearest = NearestName(name, known);
  throw UsageError{
      std::string(what) + " " + std::string(name) +
      (nearest ? ", did you mean " + std::string(*nearest) + "?" : ", see rankd --help")};
}

/// What CLI11 could not place: misspelt flags, words that are no command.
void RefuseUnknown(const CLI::App& app) {
  for (const std::string& argument : app.remaining(true)) {
    if (argument == "--") continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with('-')) RefuseName("unknown flag", name, FlagNames(app));
    if (app.get_subcommands().empty()) RefuseName("unknown command", name, CommandNames(app));
    RefuseName("unexpected argument", name, {});
  }
}

std::optional<std::chrono::milliseconds> Limit(const CLI::App& app, const char* flag,
                                               const std::string& text) {
  if (!Given(app, flag)) return std::nullopt;
  return std::chrono::milliseconds(WholeNumber(flag, text, 0, kMaxMilliseconds));
}

CpuMode Cpu(const std::string& name) {
  if (const std::optional<CpuMode> mode = CpuModeFromName(name)) return *mode;
  throw UsageError{"--cpu must be auto, inline, offload or fused, not " + InQuotes(name)};
}

std::vector<ParamFlag> SplitParams(const std::vector<std::string>& texts) {
  std::vector<ParamFlag> params;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError{"--param must be NAME=VALUE, not " + InQuotes(text)};
    }
    params.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return params;
}

/// A file's name that is not mistaken for a plan's.
std::string AsPath(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

/// `explain` takes its plan from --plan_name or --plan too.
void CheckExplain(const CLI::App& explain, const RawOptions& raw, Options& options) {
  const std::string& format = raw.explain_format;
  options.explain.svg_file = TextFlag(explain, "--svg", raw.svg_file);
  constexpr std::array kFormats = {"text", "dot", "mermaid", "json"};
  const auto found = std::ranges::find(kFormats, format);
  if (found != kFormats.end()) {
    options.explain.format = static_cast<ExplainFormat>(found - kFormats.begin());
  } else if (Given(explain, "--format")) {
    throw UsageError{"--format must be text, dot, mermaid or json, not " + InQuotes(format)};
  } else if (!options.explain.svg_file) {
    options.explain.format = ExplainFormat::kText;
  }
  const WorkspaceOptions& workspace = options.workspace;
  if (options.plans.empty() && workspace.plan_name) options.plans = {*workspace.plan_name};
  if (options.plans.empty() && workspace.plan_file) options.plans = {AsPath(*workspace.plan_file)};
  if (options.plans.size() != 1) {
    throw UsageError{"explain needs the name or file of one plan, as in: rankd explain diamond"};
  }
}

Options Checked(const CLI::App& app, RawOptions& raw) {
  RefuseUnknown(app);
  Options options = std::move(raw.options);
  WorkspaceOptions& workspace = options.workspace;
  workspace.plan_name = TextFlag(app, "--plan_name", raw.plan_name);
  workspace.plan_file = TextFlag(app, "--plan", raw.plan_file);
  workspace.plan_dir = TextFlag(app, "--plan_dir", raw.plan_dir);
  workspace.env = TextFlag(app, "--env", raw.env);
  workspace.redis_url = TextFlag(app, "--redis", raw.redis_url);
  workspace.params = SplitParams(raw.params);
  if (workspace.plan_name && workspace.plan_file) {
    throw UsageError{"--plan_name and --plan both name the plan to run: give one of them"};
  }
  RunOptions& run = options.run;
  run.deadline = Limit(app, "--deadline_ms", raw.deadline);
  run.node_timeout = Limit(app, "--node_timeout_ms", raw.node_timeout);
  if (Given(app, "--concurrency")) {
    run.concurrency =
        static_cast<std::size_t>(WholeNumber("--concurrency", raw.concurrency, 1, kMaxConcurrency));
  }
  if (Given(app, "--loops")) {
    run.loops = static_cast<std::uint32_t>(WholeNumber("--loops", raw.loops, 1, kMaxLoops));
  }
  if (Given(app, "--cpu_threads")) {
    run.cpu_threads =
        static_cast<std::size_t>(WholeNumber("--cpu_threads", raw.cpu_threads, 1, kMaxThreads));
  }
  if (Given(app, "--max_request_bytes")) {
    run.max_request_bytes = static_cast<std::size_t>(
        WholeNumber("--max_request_bytes", raw.max_request_bytes, 1, kMaxBytes));
  }
  if (Given(app, "--cpu")) run.cpu = Cpu(raw.cpu);
  options.records.trace_file = TextFlag(app, "--trace", raw.trace);
  options.records.log_file = TextFlag(app, "--log", raw.log);
  options.bench = CheckBenchFlags(app, raw.bench);
  if (options.command == Command::kCheck && options.plans.empty()) {
    throw UsageError{"check needs the names or files of plans, as in: rankd check simple_plan"};
  }
  if (options.command == Command::kExplain)
    CheckExplain(*app.get_subcommand("explain"), raw, options);
  return options;
}

/// CLI11's own errors, on one line.
std::string Words(const CLI::ParseError& error) {
  std::string text = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    return text.substr(0, text.find(':')) + " needs a value";
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// CLI11 leaves two blank lines between groups.
std::string HelpText(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  std::string text = commands.empty() ? app.help() : commands.front()->help("rankd");
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::expected<Options, EarlyExit> ParseWith(const WantedNames& wanted,
                                            std::span<const std::string> arguments) {
  RawOptions raw;
  App app(kDescription, "rankd");
  app.option_defaults()->take_last();
  app.footer(kExamples);
  app.allow_extras();
  app.get_formatter()->column_width(30);
  AddPlanFlags(app, wanted, raw);
  AddRequestFlags(app, wanted, raw);
  AddExecutionFlags(app, wanted, raw);
  AddBenchFlags(app, wanted, raw.bench);
  AddRecordFlags(app, wanted, raw);
  AddGeneralFlags(app, wanted, raw);
  AddCommands(app, wanted, raw);

  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return Checked(app, raw);
  } catch (const UsageError& error) {
    return std::unexpected(EarlyExit{kExitUsage, "", error.message});
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(EarlyExit{kExitOk, HelpText(app), ""});
  } catch (const CLI::CallForVersion& version) {
    return std::unexpected(EarlyExit{kExitOk, std::string(version.what()) + "\n", ""});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(EarlyExit{kExitUsage, "", Words(error)});
  }
}

}  // namespace

std::expected<Options, EarlyExit> ParseOptions(std::span<const std::string> arguments) {
  const std::vector<std::string> normalized = Normalized(arguments);
  const std::span<const std::string> names(normalized);
  std::expected<Options, EarlyExit> options = ParseWith(WantedNames::Of(names), names);
  return options ? std::move(options) : ParseWith(WantedNames::All(), names);
}

}  // namespace rankd
