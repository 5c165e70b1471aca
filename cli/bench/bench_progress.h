// The bar on a terminal while a bench runs.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/bench_runner.h"
#include "cli/console.h"
#include "engine/io/loop.h"

namespace rankd {

/// Redraws itself a few times a second; is gone when this is. Loop thread only.
class BenchProgress final : private Timer {
 public:
  /// All must outlive it. Without a status line in `console` it does nothing.
  BenchProgress(Loop& loop, const BenchLoad& load, std::vector<const BenchRunner*> runners,
                Console& console);
  ~BenchProgress() override;

  /// "bench [#####---------------]  25 %  2500/10000  34000/s  3 failed"
  std::string Line();

 private:
  void OnTimer() override;

  Loop& loop_;
  const BenchLoad& load_;
  const std::vector<const BenchRunner*> runners_;
  TimePoint phase_start_;  ///< As far as this has seen.
  bool measuring_ = false;
  Console& console_;
};

}  // namespace rankd
