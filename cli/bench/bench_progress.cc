#include "cli/bench/bench_progress.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankd {
namespace {

constexpr std::chrono::milliseconds kPeriod{200};
constexpr std::size_t kCells = 24;

}  // namespace

BenchProgress::BenchProgress(Loop& loop, const BenchLoad& load,
                             std::vector<const BenchRunner*> runners, Console& console)
    : loop_(loop),
      load_(load),
      runners_(std::move(runners)),
      phase_start_(loop.Now()),
      console_(console) {
  if (console.has_status_line()) loop_.Arm(*this, loop_.Now() + kPeriod);
}

BenchProgress::~BenchProgress() { console_.ClearStatus(); }

void BenchProgress::OnTimer() {
  console_.ShowStatus(Line());
  loop_.Arm(*this, loop_.Now() + kPeriod);
}

std::string BenchProgress::Line() {
  // The warm-up lasts until the last of them is through it.
  const bool measuring = std::ranges::all_of(
      runners_, [](const BenchRunner* runner) { return runner->progress().measuring.load(); });
  if (measuring && !std::exchange(measuring_, true)) phase_start_ = loop_.Now() - kPeriod;
  const std::uint64_t planned = measuring ? load_.iterations : load_.warmup;
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  for (const BenchRunner* runner : runners_) {
    const BenchProgressCounts& counts = runner->progress();
    finished += measuring ? counts.finished.load() : counts.warmed_up.load();
    failed += counts.failed.load();
  }
  const double part =
      static_cast<double>(finished) / static_cast<double>(std::max<std::uint64_t>(planned, 1));
  const std::size_t full = static_cast<std::size_t>(part * static_cast<double>(kCells));
  std::string line = measuring ? "bench [" : "warm-up [";
  line += std::string(full, '#') + std::string(kCells - full, '-') + "] ";
  const std::string percent = std::to_string(static_cast<int>(part * 100));
  line += std::string(3 - percent.size(), ' ') + percent + " %  " + std::to_string(finished) + "/" +
          std::to_string(planned);
  const double seconds = std::chrono::duration<double>(loop_.Now() - phase_start_).count();
  if (finished > 0 && seconds > 0) {
    const double rate = static_cast<double>(finished) / seconds;
    line += "  " + std::to_string(static_cast<std::uint64_t>(rate)) + "/s";
  }
  if (failed > 0) {
    line += "  " + std::to_string(failed) + " failed";
  }
  return line;
}

}  // namespace rankd
