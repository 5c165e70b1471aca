#include "cli/param_flags.h"

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/suggest.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

std::optional<Value> ParseValue(ValueType type, const std::string& text) {
  switch (type) {
    case ValueType::kInt:
      if (const std::optional<std::int64_t> number = ParseInt(text)) return Value(*number);
      break;
    case ValueType::kFloat:
      if (const std::optional<double> number = ParseFloat(text)) return Value(*number);
      break;
    case ValueType::kBool:
      if (text == "true" || text == "1") return Value(true);
      if (text == "false" || text == "0") return Value(false);
      break;
    case ValueType::kString:
      if (IsValidUtf8(text)) return Value(text);
      break;
  }
  return std::nullopt;
}

std::string_view Expected(ValueType type) {
  switch (type) {
    case ValueType::kInt:
      return "an int";
    case ValueType::kFloat:
      return "a float";
    case ValueType::kBool:
      return "a bool (true or false)";
    case ValueType::kString:
      return "valid UTF-8";
  }
  return "";
}

Error UnknownParam(const std::string& name, const Schema& schema) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < schema.param_count(); ++i) {
    known.push_back(schema.param(ParamId{static_cast<std::uint32_t>(i)}).name);
  }
  std::string message = "--param: unknown param ";
  AppendJsonString(message, name);
  return Error(ErrorCode::kInvalidParam, message + DidYouMean(name, known));
}

}  // namespace

Result<void> ApplyParamFlags(std::span<const ParamFlag> flags, const Schema& schema,
                             UnknownParams unknown, ParamValues& values) {
  for (const ParamFlag& flag : flags) {
    const std::optional<ParamId> param = schema.FindParam(flag.name);
    if (!param) {
      if (unknown == UnknownParams::kIgnore) continue;
      return std::unexpected(UnknownParam(flag.name, schema));
    }
    const ParamSpec& spec = schema.param(*param);
    if (spec.status == EntryStatus::kBlocked) {
      return Fail(ErrorCode::kInvalidParam, "--param: param \"" + flag.name + "\" is blocked");
    }
    std::optional<Value> value = ParseValue(spec.type, flag.value);
    if (!value) {
      std::string message = "--param: param \"" + flag.name + "\" must be " +
                            std::string(Expected(spec.type)) + ", not ";
      AppendJsonString(message, flag.value);
      return Fail(ErrorCode::kInvalidParam, std::move(message));
    }
    values.Set(*param, *std::move(value));
  }
  return {};
}

}  // namespace rankd
