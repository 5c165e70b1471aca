#include "cli/bench/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"

namespace rankd {
namespace {

// 2 * 10^3 rounded up to a power of two, so that half of the counters of a power of two, the half
// that the lower powers do not cover, still tells 1,000 values apart.
constexpr int kSubBucketBits = 11;
constexpr std::size_t kHalf = std::size_t{1} << (kSubBucketBits - 1);
constexpr int kValueBits = 63;
constexpr std::size_t kCounters = (kValueBits - kSubBucketBits + 2) * kHalf;

}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(kCounters) {}

std::size_t LatencyHistogram::IndexOf(std::uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kSubBucketBits);
  return static_cast<std::size_t>(shift) * kHalf + static_cast<std::size_t>(value >> shift);
}

std::uint64_t LatencyHistogram::HighestOf(std::size_t index) {
  if (index < 2 * kHalf) return index;
  const std::size_t shift = index / kHalf - 1;
  const std::uint64_t lowest = static_cast<std::uint64_t>(index - shift * kHalf) << shift;
  return lowest + ((std::uint64_t{1} << shift) - 1);
}

void LatencyHistogram::Record(std::chrono::nanoseconds latency) {
  const std::int64_t value = std::max<std::int64_t>(latency.count(), 0);
  ++counts_[IndexOf(static_cast<std::uint64_t>(value))];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
  ++count_;
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

std::chrono::nanoseconds LatencyHistogram::Quantile(double quantile) const {
  RANKD_CHECK(count_ > 0);
  const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_)));
  const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    const auto highest = static_cast<std::int64_t>(HighestOf(i));
    return std::chrono::nanoseconds(std::min(highest, max_));
  }
  return max();
}

}  // namespace rankd
