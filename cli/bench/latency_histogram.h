// Latencies, counted to three significant digits in bounded memory. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankd {

/// A log-linear histogram of whole nanoseconds, the layout of HdrHistogram (Gil Tene,
/// https://hdrhistogram.github.io/HdrHistogram/, "HdrHistogram internals"): below 2048 ns a counter
/// for each value, above that 1024 of equal width for each power of two. So a counter is at most
/// 1/1024 of its values wide. All of 0 … 2^63-1 ns (292 years) is covered by 55,296 counters of 64
/// bits, 432 KiB, however many samples there are.
class LatencyHistogram {
 public:
  LatencyHistogram();

  /// Negative ones count as 0.
  void Record(std::chrono::nanoseconds latency);

  /// The samples of another, too.
  void Add(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  /// Exact. Of the samples, of which there must be one.
  std::chrono::nanoseconds min() const { return std::chrono::nanoseconds(min_); }
  std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
  /// In nanoseconds; the sum is kept exactly up to 2^53 ns (104 days), beyond that to 16 digits.
  double mean() const { return sum_ / static_cast<double>(count_); }

  /// The smallest latency that at least `quantile` (0 … 1) of the samples do not exceed (the
  /// nearest-rank definition), rounded up to the end of its counter but never beyond max: at most
  /// 0.1 % too high, never too low. There must be a sample.
  std::chrono::nanoseconds Quantile(double quantile) const;

 private:
  static std::size_t IndexOf(std::uint64_t value);
  /// The greatest value that falls into a counter.
  static std::uint64_t HighestOf(std::size_t index);

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace rankd
