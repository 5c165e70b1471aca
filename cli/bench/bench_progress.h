// The bar on a terminal while a bench runs.
#pragma once

#include <string>

#include "cli/bench/bench_runner.h"
#include "cli/console.h"
#include "engine/io/loop.h"

namespace rankd {

/// Redraws itself a few times a second; is gone when this is. Loop thread only.
class BenchProgress final : private Timer {
 public:
  /// All must outlive it. Without a status line in `console` it does nothing.
  BenchProgress(Loop& loop, const BenchRunner& runner, Console& console);
  ~BenchProgress() override;

  /// "bench [#####---------------]  25 %  2500/10000  34000/s  3 failed"
  std::string Line() const;

 private:
  void OnTimer() override;

  Loop& loop_;
  const BenchRunner& runner_;
  Console& console_;
};

}  // namespace rankd
