#include "engine/kv/key_pattern.h"

#include "engine/base/number_text.h"

namespace rankd {

std::string KeyPattern::For(std::int64_t number) const {
  std::string key = prefix_;
  AppendInt(key, number);
  key += suffix_;
  return key;
}

std::size_t KeyPattern::SizeFor(std::int64_t number) const {
  return prefix_.size() + IntTextSize(number) + suffix_.size();
}

bool KeyPattern::splits() const {
  const char last = prefix_.empty() ? '\0' : prefix_.back();
  return suffix_.empty() && !IsDigit(last) && last != '-';
}

std::optional<SplitNumber> SplitKey(std::string_view key) {
  constexpr std::size_t kMostDigits = 18;  // of kMostSplit
  std::size_t begin = key.size();
  while (begin > 0 && IsDigit(key[begin - 1])) --begin;
  const std::size_t digits = key.size() - begin;
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  const bool negative = begin > 0 && key[begin - 1] == '-';
  if (key[begin] == '0' && (digits > 1 || negative)) return std::nullopt;
  std::int64_t number = 0;
  for (std::size_t i = begin; i < key.size(); ++i) number = 10 * number + (key[i] - '0');
  if (negative) return SplitNumber{{key.data(), begin - 1}, -number};
  return SplitNumber{{key.data(), begin}, number};
}

}  // namespace rankd
