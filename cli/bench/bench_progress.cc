#include "cli/bench/bench_progress.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rankd {
namespace {

constexpr std::chrono::milliseconds kPeriod{200};
constexpr std::size_t kCells = 24;

}  // namespace

BenchProgress::BenchProgress(Loop& loop, const BenchRunner& runner, Console& console)
    : loop_(loop), runner_(runner), console_(console) {
  if (console.has_status_line()) loop_.Arm(*this, loop_.Now() + kPeriod);
}

BenchProgress::~BenchProgress() { console_.ClearStatus(); }

void BenchProgress::OnTimer() {
  console_.ShowStatus(Line());
  loop_.Arm(*this, loop_.Now() + kPeriod);
}

std::string BenchProgress::Line() const {
  const std::uint64_t finished = runner_.finished();
  const std::uint64_t planned = runner_.planned();
  const double part = static_cast<double>(finished) / static_cast<double>(planned);
  const std::size_t full = static_cast<std::size_t>(part * static_cast<double>(kCells));
  std::string line = runner_.warming_up() ? "warm-up [" : "bench [";
  line += std::string(full, '#') + std::string(kCells - full, '-') + "] ";
  const std::string percent = std::to_string(static_cast<int>(part * 100));
  line += std::string(3 - percent.size(), ' ') + percent + " %  " + std::to_string(finished) + "/" +
          std::to_string(planned);
  const double seconds = std::chrono::duration<double>(loop_.Now() - runner_.phase_start()).count();
  if (finished > 0 && seconds > 0) {
    const double rate = static_cast<double>(finished) / seconds;
    line += "  " + std::to_string(static_cast<std::uint64_t>(rate)) + "/s";
  }
  if (const std::uint64_t failed = runner_.tally().failures.total(); failed > 0) {
    line += "  " + std::to_string(failed) + " failed";
  }
  return line;
}

}  // namespace rankd
