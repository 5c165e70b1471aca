#include "cli/bench/latency_histogram.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace rankd {
namespace {

using std::chrono::nanoseconds;

constexpr double kQuantiles[] = {0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1};

/// What the histogram may say at most wrong, against the samples themselves.
void CompareWithSamples(std::vector<std::int64_t> samples) {
  LatencyHistogram histogram;
  double sum = 0;
  for (const std::int64_t sample : samples) {
    histogram.Record(nanoseconds(sample));
    sum += static_cast<double>(sample);
  }
  std::ranges::sort(samples);
  CHECK(histogram.count() == samples.size());
  CHECK(histogram.min().count() == samples.front());
  CHECK(histogram.max().count() == samples.back());
  CHECK(histogram.mean() ==
        doctest::Approx(sum / static_cast<double>(samples.size())).epsilon(1e-12));
  for (const double quantile : kQuantiles) {
    CAPTURE(quantile);
    const auto rank = static_cast<std::size_t>(
        std::max(1.0, std::ceil(quantile * static_cast<double>(samples.size()))));
    const std::int64_t exact = samples[rank - 1];
    const std::int64_t told = histogram.Quantile(quantile).count();
    CHECK(told >= exact);
    CHECK(static_cast<double>(told - exact) <= static_cast<double>(exact) * 0.001);
  }
}

template <typename Distribution>
std::vector<std::int64_t> Draw(Distribution distribution, std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(static_cast<std::int64_t>(distribution(random)));
  }
  return samples;
}

TEST_CASE("quantiles are those of the samples, to 0.1 %") {
  SUBCASE("all alike") { CompareWithSamples(std::vector<std::int64_t>(1000, 123'456'789)); }
  SUBCASE("one") { CompareWithSamples({28'163}); }
  SUBCASE("uniform over small ones") {
    CompareWithSamples(Draw(std::uniform_int_distribution<std::int64_t>(0, 5000), 100'000));
  }
  SUBCASE("uniform over a second") {
    CompareWithSamples(Draw(std::uniform_int_distribution<std::int64_t>(1, 1'000'000'000), 99'999));
  }
  SUBCASE("exponential") {
    CompareWithSamples(Draw(std::exponential_distribution<double>(1.0 / 30'000), 100'000));
  }
  SUBCASE("log-normal, from nanoseconds to hours") {
    CompareWithSamples(Draw(std::lognormal_distribution<double>(14, 5), 100'000));
  }
  SUBCASE("two humps") {
    std::vector<std::int64_t> samples =
        Draw(std::uniform_int_distribution<std::int64_t>(20'000, 25'000), 9900);
    const auto slow =
        Draw(std::uniform_int_distribution<std::int64_t>(5'000'000'000, 5'100'000'000), 100);
    samples.insert(samples.end(), slow.begin(), slow.end());
    CompareWithSamples(samples);
  }
  SUBCASE("around each power of two") {
    std::vector<std::int64_t> samples;
    for (int bit = 0; bit < 62; ++bit) {
      const std::int64_t power = std::int64_t{1} << bit;
      for (const std::int64_t sample : {power - 1, power, power + 1}) samples.push_back(sample);
    }
    CompareWithSamples(samples);
  }
}

TEST_CASE("a histogram takes the whole range of nanoseconds") {
  LatencyHistogram histogram;
  histogram.Record(nanoseconds(-5));
  histogram.Record(nanoseconds(std::numeric_limits<std::int64_t>::max()));
  CHECK(histogram.count() == 2);
  CHECK(histogram.min().count() == 0);
  CHECK(histogram.Quantile(0.5).count() == 0);
  CHECK(histogram.Quantile(1) == histogram.max());
  CHECK(histogram.max().count() == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a histogram to which others were added is that of all samples") {
  LatencyHistogram all;
  LatencyHistogram first;
  LatencyHistogram second;
  for (const std::int64_t sample : Draw(std::exponential_distribution<double>(1e-5), 2000)) {
    all.Record(nanoseconds(sample));
    (sample % 3 == 0 ? first : second).Record(nanoseconds(sample));
  }
  LatencyHistogram sum;
  for (const LatencyHistogram& part : {first, LatencyHistogram(), second}) sum.Add(part);
  CHECK(sum.count() == all.count());
  CHECK(sum.min() == all.min());
  CHECK(sum.max() == all.max());
  CHECK(sum.mean() == doctest::Approx(all.mean()));
  for (const double quantile : {0.0, 0.1, 0.5, 0.99, 1.0}) {
    CHECK(sum.Quantile(quantile) == all.Quantile(quantile));
  }
}

TEST_CASE("an empty histogram has no samples") { CHECK(LatencyHistogram().count() == 0); }

}  // namespace
}  // namespace rankd
