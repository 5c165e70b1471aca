#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/suggest.h"
#include "engine/plan/plan.h"
#include "engine/wire/request.h"
#include "engine/wire/request_fields.h"
#include "engine/wire/strict_json.h"

namespace rankd {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 4> kCpuNames = {"auto", "inline", "offload", "fused"};

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(quoted, text);
  return quoted;
}

std::unexpected<Error> Invalid(RequestField field, std::string_view rule,
                               const dom::element& value) {
  return Fail(ErrorCode::kInvalidRequest, std::string(FieldName(field)) + " must be " +
                                              std::string(rule) + ", not " + Describe(value));
}

Result<void> ReadRequestId(const dom::element* value, std::string& id_json) {
  if (value == nullptr) return {};
  std::string_view text;
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (value->get(text) == simdjson::SUCCESS) {
    id_json.clear();
    AppendJsonString(id_json, text);
  } else if (value->get(number) == simdjson::SUCCESS) {
    id_json.clear();
    AppendInt(id_json, number);
  } else if (value->get(large) == simdjson::SUCCESS) {
    id_json = std::to_string(large);
  } else {
    return Invalid(RequestField::kRequestId, "a string or an integer", *value);
  }
  return {};
}

Result<std::optional<std::int64_t>> ReadUserId(const dom::element* value) {
  if (value == nullptr) return std::nullopt;
  std::string_view digits;
  std::int64_t number = 0;
  if (value->get(digits) == simdjson::SUCCESS) {
    number = digits.starts_with('-') ? 0 : ParseInt(digits).value_or(0);
  } else if (value->get(number) != simdjson::SUCCESS) {
    number = 0;
  }
  if (number >= 1) return number;
  return Invalid(RequestField::kUserId,
                 "a positive integer up to 9223372036854775807, or a string of its digits", *value);
}

Result<std::optional<std::chrono::milliseconds>> ReadLimit(RequestField field,
                                                           const dom::element* value) {
  if (value == nullptr) return std::nullopt;
  std::int64_t number = 0;
  if (value->get(number) == simdjson::SUCCESS && number >= 0 && number <= kMaxMilliseconds) {
    return std::chrono::milliseconds(number);
  }
  return Invalid(field, "a whole number of milliseconds from 0 (none) to 9007199254740992", *value);
}

Result<std::optional<CpuMode>> ReadCpu(const dom::element* value) {
  if (value == nullptr) return std::nullopt;
  std::string_view name;
  if (value->get(name) == simdjson::SUCCESS) {
    if (const std::optional<CpuMode> mode = CpuModeFromName(name)) return mode;
  }
  std::unexpected<Error> error =
      Invalid(RequestField::kCpu, "\"auto\", \"inline\", \"offload\" or \"fused\"", *value);
  error.error().message += DidYouMean(name, kCpuNames);
  return error;
}

Result<bool> ReadTrace(const dom::element* value) {
  if (value == nullptr) return false;
  bool wanted = false;
  if (value->get(wanted) == simdjson::SUCCESS) return wanted;
  return Invalid(RequestField::kTrace, "true or false", *value);
}

/// The params object, or nullopt; of the two names at most one may be used.
Result<std::optional<dom::object>> ReadParamsObject(const RequestFields& fields) {
  RequestField field = RequestField::kParams;
  const dom::element* value = fields.Find(field);
  if (const dom::element* overrides = fields.Find(RequestField::kParamOverrides)) {
    if (value != nullptr) {
      return Fail(ErrorCode::kInvalidRequest,
                  "params and param_overrides mean the same: give one of them");
    }
    field = RequestField::kParamOverrides;
    value = overrides;
  }
  if (value == nullptr) return std::nullopt;
  dom::object object;
  if (value->get(object) != simdjson::SUCCESS) return Invalid(field, "an object", *value);
  return object;
}

/// The array, or nullopt; its items are strings.
Result<std::optional<dom::array>> ReadOutputKeyNames(const dom::element* value) {
  if (value == nullptr) return std::nullopt;
  dom::array names;
  if (value->get(names) != simdjson::SUCCESS) {
    return Invalid(RequestField::kOutputKeys, "an array of key names", *value);
  }
  for (const dom::element name : names) {
    if (!name.is_string()) return Invalid(RequestField::kOutputKeys, "key names", name);
  }
  return names;
}

/// The value as the param's type, else nullopt.
std::optional<Value> ConvertParam(ValueType type, const dom::element& value) {
  switch (type) {
    case ValueType::kInt: {
      std::int64_t number = 0;
      if (value.get(number) != simdjson::SUCCESS) break;
      return Value(number);
    }
    case ValueType::kFloat: {
      double number = 0;
      if (value.get(number) != simdjson::SUCCESS) break;
      return Value(number);
    }
    case ValueType::kBool: {
      bool flag = false;
      if (value.get(flag) != simdjson::SUCCESS) break;
      return Value(flag);
    }
    case ValueType::kString: {
      std::string_view text;
      if (value.get(text) != simdjson::SUCCESS) break;
      return Value(std::string(text));
    }
  }
  return std::nullopt;
}

}  // namespace

struct RequestParser::State {
  Result<void> Parse(std::string_view text, Request& request);
  Result<void> ReadParams(const dom::object& object, const Schema& schema, ParamValues& params);
  Result<void> ReadParam(std::string_view name, const dom::element& value, const Schema& schema,
                         ParamValues& params);
  Result<void> ReadOutputKeys(const dom::array& names, const PlanInterface& plan,
                              std::vector<KeyId>& keys);
  Result<void> CheckStatus(std::string_view kind, std::string_view name, EntryStatus status,
                           ErrorCode code);

  RequestOptions options;
  PlanLookup lookup;
  StrictJson json;
  std::vector<bool> param_given;  ///< By ParamId, of the request at hand.
  std::set<std::string> warned;   ///< Deprecated names that have had their note.
};

RequestParser::RequestParser(RequestOptions options, PlanLookup lookup)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->lookup = std::move(lookup);
}

RequestParser::~RequestParser() = default;

Result<void> RequestParser::Parse(std::string_view text, std::uint64_t first_line,
                                  Request& request) {
  request.id_json = "\"line:" + std::to_string(first_line) + "\"";
  request.plan.reset();
  return state_->Parse(text, request);
}

Result<void> RequestParser::State::Parse(std::string_view text, Request& request) {
  RANKD_TRY(const dom::element root, json.Parse(text));
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidRequest, "a request must be an object, not " + Describe(root));
  }

  RequestFields fields;
  Result<void> collected = fields.Collect(object, options.allow_unknown_fields);
  Result<void> id = ReadRequestId(fields.Find(RequestField::kRequestId), request.id_json);
  RANKD_TRY(std::move(collected));
  RANKD_TRY(std::move(id));
  RANKD_TRY(request.user_id, ReadUserId(fields.Find(RequestField::kUserId)));
  RANKD_TRY(request.deadline,
            ReadLimit(RequestField::kDeadlineMs, fields.Find(RequestField::kDeadlineMs)));
  RANKD_TRY(request.node_timeout,
            ReadLimit(RequestField::kNodeTimeoutMs, fields.Find(RequestField::kNodeTimeoutMs)));
  RANKD_TRY(request.cpu, ReadCpu(fields.Find(RequestField::kCpu)));
  RANKD_TRY(request.trace, ReadTrace(fields.Find(RequestField::kTrace)));
  RANKD_TRY(const std::optional<dom::object> params, ReadParamsObject(fields));
  RANKD_TRY(const std::optional<dom::array> output_keys,
            ReadOutputKeyNames(fields.Find(RequestField::kOutputKeys)));

  std::string_view plan_name;
  if (const dom::element* plan = fields.Find(RequestField::kPlan)) {
    if (plan->get(plan_name) != simdjson::SUCCESS || !IsPlanName(plan_name)) {
      return Fail(ErrorCode::kUnknownPlan,
                  Describe(*plan) + " is no plan name: letters, digits and _ make one");
    }
  }
  RANKD_TRY(const PlanForRequest found, lookup(plan_name));
  request.plan = found.plan;
  if (found.plan->needs_user_id && !request.user_id) {
    return Fail(ErrorCode::kInvalidRequest, "plan \"" + found.plan->name + "\" needs a user_id");
  }
  if (output_keys) {
    if (!request.output_keys) request.output_keys.emplace();
    RANKD_TRY(ReadOutputKeys(*output_keys, *found.plan, *request.output_keys));
  } else {
    request.output_keys.reset();
  }
  request.params = *found.defaults;
  if (!params) return {};
  return ReadParams(*params, *found.plan->schema, request.params);
}

Result<void> RequestParser::State::ReadParams(const dom::object& object, const Schema& schema,
                                              ParamValues& params) {
  param_given.assign(schema.param_count(), false);
  for (const dom::key_value_pair param : object) {
    RANKD_TRY(ReadParam(param.key, param.value, schema, params));
  }
  return {};
}

Result<void> RequestParser::State::ReadParam(std::string_view name, const dom::element& value,
                                             const Schema& schema, ParamValues& params) {
  const std::optional<ParamId> found = schema.FindParam(name);
  if (!found) {
    return Fail(ErrorCode::kInvalidParam,
                "unknown param " + Quoted(name) + DidYouMean(name, schema.ParamNames()));
  }
  const ParamSpec& spec = schema.param(*found);
  if (param_given[Index(*found)]) {
    return Fail(ErrorCode::kInvalidParam, "param \"" + spec.name + "\" is given twice");
  }
  param_given[Index(*found)] = true;
  RANKD_TRY(CheckStatus("param", spec.name, spec.status, ErrorCode::kInvalidParam));
  if (value.is_null()) {
    if (!spec.nullable) {
      return Fail(ErrorCode::kInvalidParam, "param \"" + spec.name + "\" may not be null");
    }
    params.Set(*found, Value());
    return {};
  }
  std::optional<Value> converted = ConvertParam(spec.type, value);
  if (!converted) {
    const bool too_large = spec.type == ValueType::kInt && value.is<std::uint64_t>();
    return Fail(ErrorCode::kInvalidParam, "param \"" + spec.name + "\" must be " +
                                              (spec.type == ValueType::kInt ? "an " : "a ") +
                                              std::string(TypeName(spec.type)) +
                                              (too_large ? " within 64 bits" : "") + ", not " +
                                              Describe(value));
  }
  params.Set(*found, *std::move(converted));
  return {};
}

Result<void> RequestParser::State::ReadOutputKeys(const dom::array& names,
                                                  const PlanInterface& plan,
                                                  std::vector<KeyId>& keys) {
  const Schema& schema = *plan.schema;
  keys.clear();
  for (const dom::element element : names) {
    const std::string_view name(element);
    const std::optional<KeyId> key = schema.FindKeyOfRows(name);
    if (!key) {
      return Fail(ErrorCode::kInvalidRequest, "output_keys names an unknown key " + Quoted(name) +
                                                  DidYouMean(name, schema.KeyNames()));
    }
    const KeySpec& spec = schema.key(*key);
    RANKD_TRY(CheckStatus("key", spec.name, spec.status, ErrorCode::kInvalidRequest));
    if (*key != kIdKey) keys.push_back(*key);
  }
  std::ranges::sort(keys, {},
                    [&](KeyId key) -> const std::string& { return schema.key(key).name; });
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return {};
}

/// A blocked entry is refused, a deprecated one noted the first time.
Result<void> RequestParser::State::CheckStatus(std::string_view kind, std::string_view name,
                                               EntryStatus status, ErrorCode code) {
  if (status == EntryStatus::kActive) return {};
  const std::string what = std::string(kind) + " \"" + std::string(name) + "\"";
  if (status == EntryStatus::kBlocked) return Fail(code, what + " is blocked");
  if (options.warn && warned.insert(what).second) options.warn("the " + what + " is deprecated");
  return {};
}

}  // namespace rankd
