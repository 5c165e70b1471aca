#include "engine/region/outline.h"

#include <optional>

#include "engine/base/utf8.h"

namespace rankd {

std::string ExpressionText(const Json& written) {
  constexpr std::size_t kLongest = 60;
  const std::optional<std::string_view> text = written.AsString();
  if (!text) return "IR";
  if (text->size() <= kLongest) return std::string(*text);
  std::string_view shown = text->substr(0, kLongest);
  while (!IsValidUtf8(shown)) shown.remove_suffix(1);
  return std::string(shown) + "…";
}

std::string NumberText(TaskBuilder& builder, std::string_view param, const NumberParam& number) {
  if (number.literal()) return std::to_string(*number.literal());
  const Json* written = builder.Find(param);
  const Json* expression = written == nullptr ? nullptr : written->Find("expr");
  return expression == nullptr ? "IR" : ExpressionText(*expression);
}

}  // namespace rankd
