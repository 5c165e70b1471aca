#include "engine/expr/aggregate.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankd {
namespace {

__extension__ using Int128 = __int128;

/// A string is kept, the others are values.
template <typename T>
using Kept = std::conditional_t<std::is_same_v<T, std::string_view>, std::string, T>;

void Append(ColumnBuilder& out, std::int64_t value) { out.AppendInt(value); }
void Append(ColumnBuilder& out, double value) { out.AppendFloat(value); }
void Append(ColumnBuilder& out, std::uint8_t value) { out.AppendBool(value != 0); }
void Append(ColumnBuilder& out, const std::string& value) { out.AppendString(value); }

/// Calls f(row, state of its group) for each row; `skip_nulls`: for those that are not null.
template <typename State, typename F>
void ForRows(std::vector<State>& states, const Vec& values, const std::uint32_t* groups,
             std::size_t n, bool skip_nulls, F&& f) {
  const bool test = skip_nulls && values.valid != nullptr;
  if (groups == nullptr) {
    State& state = states.front();
    for (std::size_t i = 0; i < n; ++i) {
      if (!test || values.valid[i] != 0) f(i, state);
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!test || values.valid[i] != 0) f(i, states[groups[i]]);
  }
}

class Count final : public Accumulator {
 public:
  explicit Count(std::size_t groups) : counts_(groups) {}

  void Add(const Vec&, const std::uint32_t* groups, std::size_t n) override {
    if (groups == nullptr) {
      counts_.front() += static_cast<std::int64_t>(n);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) ++counts_[groups[i]];
  }

  ColumnRef Finish() override { return Column::Make(std::move(counts_)); }

 private:
  Column::Ints counts_;
};

/// Exact.
class IntSum final : public Accumulator {
 public:
  explicit IntSum(std::size_t groups) : sums_(groups) {}

  void Add(const Vec& values, const std::uint32_t* groups, std::size_t n) override {
    ForRows(sums_, values, groups, n, true,
            [&](std::size_t i, Int128& sum) { sum += values.At<std::int64_t>(i); });
  }

  ColumnRef Finish() override {
    ColumnBuilder out(ValueType::kInt, sums_.size());
    for (const Int128 sum : sums_) {
      if (sum >= std::numeric_limits<std::int64_t>::min() &&
          sum <= std::numeric_limits<std::int64_t>::max()) {
        out.AppendInt(static_cast<std::int64_t>(sum));
      } else {
        out.AppendNull();
      }
    }
    return std::move(out).Finish();
  }

 private:
  std::vector<Int128> sums_;
};

/// Neumaier's compensated sum (A. Neumaier, ZAMM 54, 1974), and the mean made of it.
class FloatSum final : public Accumulator {
 public:
  FloatSum(std::size_t groups, bool mean) : states_(groups), mean_(mean) {}

  void Add(const Vec& values, const std::uint32_t* groups, std::size_t n) override {
    ForRows(states_, values, groups, n, true,
            [&](std::size_t i, State& state) { state.Add(values.At<double>(i)); });
  }

  ColumnRef Finish() override {
    ColumnBuilder out(ValueType::kFloat, states_.size());
    for (const State& state : states_) {
      double result = state.sum + state.compensation;
      // Over nothing the mean is 0 / 0, which is null as it should be.
      if (mean_) result /= static_cast<double>(state.count);
      if (std::isfinite(result)) {
        out.AppendFloat(result);
      } else {
        out.AppendNull();
      }
    }
    return std::move(out).Finish();
  }

 private:
  struct State {
    double sum = 0;
    double compensation = 0;
    std::int64_t count = 0;

    void Add(double value) {
      const double total = sum + value;
      compensation +=
          std::fabs(sum) >= std::fabs(value) ? (sum - total) + value : (value - total) + sum;
      sum = total;
      ++count;
    }
  };
  std::vector<State> states_;
  bool mean_;
};

enum class Keep : std::uint8_t { kLowest, kHighest, kFirst, kLast };

/// One of the values: lowest and highest skip nulls and keep the first of equals; first and last
/// take a null as it comes.
template <typename T, Keep kWhich>
class Picked final : public Accumulator {
 public:
  Picked(ValueType type, std::size_t groups) : type_(type), states_(groups) {}

  void Add(const Vec& values, const std::uint32_t* groups, std::size_t n) override {
    if constexpr (kWhich == Keep::kLast) {
      if (groups == nullptr && n > 0) return Set(values, n - 1, states_.front());
    }
    constexpr bool kSkipNulls = kWhich == Keep::kLowest || kWhich == Keep::kHighest;
    ForRows(states_, values, groups, n, kSkipNulls, [&](std::size_t i, State& state) {
      const auto& value = values.At<T>(i);
      bool take = !state.seen || kWhich == Keep::kLast;
      if constexpr (kWhich == Keep::kLowest) take = take || value < state.value;
      if constexpr (kWhich == Keep::kHighest) take = take || value > state.value;
      if (take) Set(values, i, state);
    });
  }

  ColumnRef Finish() override {
    ColumnBuilder out(type_, states_.size());
    for (const State& state : states_) {
      if (state.valid) {
        Append(out, state.value);
      } else {
        out.AppendNull();
      }
    }
    return std::move(out).Finish();
  }

 private:
  struct State {
    Kept<T> value{};
    bool seen = false;
    bool valid = false;
  };

  static void Set(const Vec& values, std::size_t row, State& state) {
    state.seen = true;
    state.valid = values.ValidAt(row);
    if (state.valid) state.value = values.At<T>(row);
  }

  ValueType type_;
  std::vector<State> states_;
};

/// all() and any(); null is false.
class Quantifier final : public Accumulator {
 public:
  Quantifier(std::size_t groups, bool all) : results_(groups, all ? 1 : 0), all_(all) {}

  void Add(const Vec& values, const std::uint32_t* groups, std::size_t n) override {
    ForRows(results_, values, groups, n, false, [&](std::size_t i, std::uint8_t& result) {
      const bool truth = values.ValidAt(i) && values.At<std::uint8_t>(i) != 0;
      if (truth != all_) result = truth ? 1 : 0;
    });
  }

  ColumnRef Finish() override { return Column::Make(std::move(results_)); }

 private:
  Column::Bools results_;
  bool all_;
};

template <Keep kWhich>
std::unique_ptr<Accumulator> MakePicked(ValueType type, std::size_t groups) {
  return WithCppType(type, [&]<typename T>() -> std::unique_ptr<Accumulator> {
    return std::make_unique<Picked<T, kWhich>>(type, groups);
  });
}

}  // namespace

std::unique_ptr<Accumulator> MakeAccumulator(const Aggregate& aggregate, std::size_t groups) {
  switch (aggregate.function) {
    case Function::kCount:
      return std::make_unique<Count>(groups);
    case Function::kSum:
      if (aggregate.argument == ValueType::kInt) return std::make_unique<IntSum>(groups);
      return std::make_unique<FloatSum>(groups, false);
    case Function::kMean:
      return std::make_unique<FloatSum>(groups, true);
    case Function::kLowest:
      return MakePicked<Keep::kLowest>(aggregate.argument, groups);
    case Function::kHighest:
      return MakePicked<Keep::kHighest>(aggregate.argument, groups);
    case Function::kFirst:
      return MakePicked<Keep::kFirst>(aggregate.argument, groups);
    case Function::kLast:
      return MakePicked<Keep::kLast>(aggregate.argument, groups);
    default:
      return std::make_unique<Quantifier>(groups, aggregate.function == Function::kAll);
  }
}

}  // namespace rankd
