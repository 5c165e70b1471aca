#include "cli/app.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <system_error>

#include <unistd.h>

#include "cli/bench/bench_command.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/driver.h"
#include "cli/environment.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/standard_descriptors.h"
#include "cli/workspace.h"
#include "tasks/builtin.h"

namespace rankd {
namespace {

/// Writes to a descriptor; remembers the first error and writes nothing after it.
class DescriptorSink final : public TextSink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

  void Write(std::string_view text) override {
    while (error_ == 0 && !text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written >= 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }
  int error() const { return error_; }

 private:
  int descriptor_;
  int error_ = 0;
};

/// https://no-color.org
bool WantsColour(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

int RunStream(const CommandContext& context) {
  const std::unique_ptr<Workspace> workspace = Workspace::Open(
      context.options.workspace, context.environment, context.tasks, context.console);
  if (workspace == nullptr) return kExitUsage;
  if (!workspace->plans().LoadDefault(context.options.workspace)) return kExitUsage;
  return context.options.bench ? RunBench(context.options, *workspace)
                               : RunRequests(context.options, *workspace);
}

int RunCommand(const CommandContext& context) {
  switch (context.options.command) {
    case Command::kRun:
      return RunStream(context);
    case Command::kCheck:
      return RunCheck(context);
    case Command::kExplain:
      return RunExplain(context);
    case Command::kPlans:
      return RunPlans(context);
    case Command::kTasks:
      return RunTasks(context);
    case Command::kKeys:
      return RunKeys(context);
    case Command::kDemoData:
      return RunDemoData(context);
  }
  return kExitUsage;
}

/// A closed stdout ends the process as the signal would, also where that is ignored.
int AfterOutput(int status, const DescriptorSink& out, Console& console) {
  if (out.error() == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (out.error() == 0) return status;
  console.Error("cannot write to stdout: " + std::generic_category().message(out.error()));
  return kExitIo;
}

}  // namespace

int RunApp(std::span<const std::string> arguments) {
  ReserveStandardDescriptors();
  DescriptorSink out(STDOUT_FILENO);
  DescriptorSink err(STDERR_FILENO);
  const std::expected<Options, EarlyExit> options = ParseOptions(arguments);
  Console console(out, err,
                  {.quiet = options && options->quiet,
                   .colour = WantsColour(STDOUT_FILENO),
                   .error_terminal = ::isatty(STDERR_FILENO) == 1,
                   .error_colour = WantsColour(STDERR_FILENO)});
  if (!options) {
    const EarlyExit& exit = options.error();
    if (!exit.error.empty()) console.Error(exit.error);
    console.Print(exit.output);
    return AfterOutput(exit.status, out, console);
  }
  const Environment environment = Environment::OfProcess();
  const TaskCatalog tasks = BuiltinTasks();
  const int status = RunCommand({*options, environment, tasks, console});
  return AfterOutput(status, out, console);
}

}  // namespace rankd
