#include "engine/graph/task_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/number_text.h"
#include "engine/base/suggest.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

std::vector<std::string_view> EndpointNames(const EndpointTable& endpoints) {
  std::vector<std::string_view> names;
  for (const EndpointSpec& spec : endpoints.all()) {
    names.push_back(spec.name);
    if (!spec.endpoint_id.empty()) names.push_back(spec.endpoint_id);
  }
  return names;
}

/// Fields of a node that are taken for params now and then.
constexpr std::string_view kFieldsOfNodes[] = {"timeout_ms", "retry", "on_error", "effect",
                                               "inputs"};

/// A param's place below /params.
std::string Below(std::string_view param) { return JsonPointer("", param); }

std::string RangeText(std::int64_t low, std::int64_t high) {
  if (high == std::numeric_limits<std::int64_t>::max()) {
    return "a whole number of at least " + std::to_string(low);
  }
  return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

BuildScope::BuildScope(const Plan& plan, const Schema& key_schema,
                       const EndpointTable& endpoint_table,
                       const std::map<std::string, CalledPlan, std::less<>>& called_plans,
                       Problems& all_problems)
    : schema(key_schema),
      endpoints(endpoint_table),
      calls(called_plans),
      problems(all_problems),
      uses(schema, problems),
      expressions(TableKind::kExpressions, plan, schema, uses, problems),
      predicates(TableKind::kPredicates, plan, schema, uses, problems),
      key_names([this] { return schema.KeyNames(); }),
      endpoint_names([this] { return EndpointNames(endpoints); }) {}

PlanTaskBuilder::PlanTaskBuilder(BuildScope& scope, const PlanBody& body, const BodyNames& names,
                                 const PlanNode& node, const TaskSpec& spec,
                                 std::size_t input_count)
    : scope_(scope),
      body_(body),
      names_(names),
      node_(node),
      spec_(spec),
      input_count_(input_count) {
  if (node.params != nullptr) read_.resize(node.params->fields().size());
}

const Json* PlanTaskBuilder::Find(std::string_view param) {
  if (node_.params == nullptr) return nullptr;
  const std::span<const JsonField> fields = node_.params->fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != param) continue;
    read_[i] = true;
    return fields[i].value.is_null() ? nullptr : &fields[i].value;
  }
  return nullptr;
}

std::string PlanTaskBuilder::PointerTo(std::string_view below_params) const {
  return body_.NodePointer(node_) + "/params" + std::string(below_params);
}

void PlanTaskBuilder::Problem(std::string_view pointer, std::string message) {
  scope_.problems.Add(PointerTo(pointer), std::move(message));
}

void PlanTaskBuilder::Missing(std::string_view param) {
  Problem("", "the op " + JsonQuoted(spec_.op) + " needs the param " + JsonQuoted(param));
}

const Json* PlanTaskBuilder::Require(std::string_view param) {
  const Json* value = Find(param);
  if (value == nullptr) Missing(param);
  return value;
}

void PlanTaskBuilder::WrongType(std::string_view pointer, std::string_view name,
                                std::string_view wanted, const Json& found) {
  Problem(pointer,
          JsonQuoted(name) + " must be " + std::string(wanted) + ", not " + found.Describe());
}

std::optional<KeyId> PlanTaskBuilder::Key(std::string_view param, KeyUse use) {
  const Json* value = Require(param);
  return value == nullptr ? std::nullopt : KeyValue(*value, Below(param), use);
}

std::optional<KeyId> PlanTaskBuilder::KeyOr(std::string_view param, KeyUse use,
                                            std::optional<KeyId> otherwise) {
  const Json* value = Find(param);
  return value == nullptr ? otherwise : KeyValue(*value, Below(param), use);
}

std::optional<std::vector<KeyId>> PlanTaskBuilder::KeyList(std::string_view param, KeyUse use) {
  const Json* value = Find(param);
  if (value == nullptr) return std::nullopt;
  const std::string pointer = Below(param);
  if (!value->is_array()) {
    WrongType(pointer, param, "an array of keys", *value);
    return std::nullopt;
  }
  std::vector<KeyId> keys;
  keys.reserve(value->items().size());
  for (std::size_t i = 0; i < value->items().size(); ++i) {
    const std::optional<KeyId> key = KeyValue(value->items()[i], JsonPointer(pointer, i), use);
    if (key) keys.push_back(*key);
  }
  if (keys.size() != value->items().size()) return std::nullopt;
  return keys;
}

std::optional<KeyId> PlanTaskBuilder::KeyValue(const Json& value, std::string_view pointer,
                                               KeyUse use) {
  if (const std::optional<std::string_view> name = value.AsString()) {
    const std::optional<KeyId> key = scope_.schema.FindKey(*name);
    return key ? CheckUse(*key, pointer, use) : UnknownKey(*name, pointer);
  }
  if (const std::optional<std::int64_t> registry_id = value.AsInt()) {
    if (const std::optional<KeyId> key = scope_.schema.FindKey(*registry_id)) {
      return CheckUse(*key, pointer, use);
    }
    Problem(pointer, "no key has the registry id " + std::to_string(*registry_id));
    return std::nullopt;
  }
  Problem(pointer, "a key is given by its name or its registry id, not as " + value.Describe());
  return std::nullopt;
}

std::optional<KeyId> PlanTaskBuilder::KeyNamed(std::string_view name, std::string_view pointer,
                                               KeyUse use) {
  if (const std::optional<KeyId> key = scope_.schema.FindKey(name)) {
    return CheckUse(*key, pointer, use);
  }
  // No name begins with a digit, so these cannot be mistaken.
  const std::optional<std::int64_t> registry_id = ParseInt(name);
  if (!registry_id) return UnknownKey(name, pointer);
  if (const std::optional<KeyId> key = scope_.schema.FindKey(*registry_id)) {
    return CheckUse(*key, pointer, use);
  }
  Problem(pointer, "no key has the registry id " + std::string(name));
  return std::nullopt;
}

std::optional<KeyId> PlanTaskBuilder::UnknownKey(std::string_view name, std::string_view pointer) {
  Problem(pointer, "unknown key " + JsonQuoted(name) + scope_.key_names.DidYouMean(name));
  return std::nullopt;
}

std::optional<KeyId> PlanTaskBuilder::CheckUse(KeyId key, std::string_view pointer, KeyUse use) {
  if (!scope_.uses.UseKey(key, [&] { return PointerTo(pointer); })) return std::nullopt;
  if (use == KeyUse::kRead || scope_.schema.key(key).allow_write) return key;
  Problem(pointer, key == kIdKey ? "the key \"id\" is never written by a plan"
                                 : "the key " + JsonQuoted(scope_.schema.key(key).name) +
                                       " may not be written (\"allow_write\" is false)");
  return std::nullopt;
}

std::optional<EndpointId> PlanTaskBuilder::Endpoint(std::string_view param) {
  const Json* value = Require(param);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::string_view> name = value->AsString();
  if (!name) {
    WrongType(Below(param), param, "an endpoint's name or endpoint_id", *value);
    return std::nullopt;
  }
  const std::optional<EndpointId> endpoint = scope_.endpoints.Find(*name);
  if (!endpoint) {
    Problem(Below(param), "unknown endpoint " + JsonQuoted(*name) +
                              (scope_.endpoints.all().empty()
                                   ? " (no endpoints are declared; their file stands in the plan "
                                     "directory, see --plan_dir and --env)"
                                   : scope_.endpoint_names.DidYouMean(*name)));
  } else if (std::ranges::find(endpoints_, *endpoint) == endpoints_.end()) {
    endpoints_.push_back(*endpoint);
  }
  return endpoint;
}

std::optional<NumberParam> PlanTaskBuilder::Number(std::string_view param, std::int64_t low,
                                                   std::int64_t high,
                                                   std::optional<std::int64_t> otherwise) {
  const Json* value = otherwise ? Find(param) : Require(param);
  if (value == nullptr) {
    return otherwise ? std::optional(NumberParam(*otherwise)) : std::nullopt;
  }
  const std::optional<std::int64_t> number = value->AsInt();
  if (number && *number >= low && *number <= high) return NumberParam(*number);
  const std::string pointer = Below(param);
  const Json* expression = value->Find("expr");
  if (expression == nullptr || expression->is_null()) {
    std::string wanted = RangeText(low, high) + " or {\"expr\": …}";
    if (value->is_object()) wanted += " with nothing else in it";
    WrongType(pointer, param, wanted, *value);
    return std::nullopt;
  }
  bool sound = true;
  for (const JsonField& field : value->fields()) {
    if (field.name == "expr" || field.value.is_null()) continue;
    Problem(JsonPointer(pointer, field.name),
            "unknown field " + JsonQuoted(field.name) + " beside \"expr\"");
    sound = false;
  }
  ExpressionScope scope = AnyScope();
  scope.kind = ExpressionKind::kScalar;
  scope.target = ValueType::kInt;
  scope.target_name = "param " + JsonQuoted(param) + " (int)";
  const std::optional<ExpressionSlot> slot = Compile(*expression, pointer + "/expr", scope);
  if (!slot || !sound) return std::nullopt;
  return NumberParam(*slot, param, low, high);
}

bool PlanTaskBuilder::Flag(std::string_view param, bool otherwise) {
  const Json* value = Find(param);
  if (value == nullptr) return otherwise;
  const std::optional<bool> flag = value->AsBool();
  if (!flag) WrongType(Below(param), param, "true or false", *value);
  return flag.value_or(otherwise);
}

std::optional<std::size_t> PlanTaskBuilder::Choice(std::string_view param,
                                                   std::initializer_list<std::string_view> choices,
                                                   std::optional<std::size_t> otherwise) {
  const Json* value = otherwise ? Find(param) : Require(param);
  if (value == nullptr) return otherwise;
  const std::optional<std::string_view> text = value->AsString();
  if (text) {
    const auto found = std::ranges::find(choices, *text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  }
  std::string wanted;
  for (const std::string_view choice : choices) {
    if (!wanted.empty()) wanted += choice == *(choices.end() - 1) ? " or " : ", ";
    wanted += JsonQuoted(choice);
  }
  WrongType(Below(param), param, wanted, *value);
  return std::nullopt;
}

std::optional<KeyTemplate> PlanTaskBuilder::Template(std::string_view param,
                                                     std::string_view otherwise) {
  const Json* value = Find(param);
  const std::optional<std::string_view> text = value ? value->AsString() : otherwise;
  if (!text) {
    WrongType(Below(param), param, "a key template such as \"user:{id}\"", *value);
    return std::nullopt;
  }
  Result<KeyTemplate> key = KeyTemplate::Parse(*text, scope_.schema);
  if (!key) {
    Problem(Below(param), key.error().message);
    return std::nullopt;
  }
  for (const KeyId named : key->keys()) {
    if (!CheckUse(named, Below(param), KeyUse::kRead)) return std::nullopt;
  }
  return *std::move(key);
}

std::optional<std::int64_t> PlanTaskBuilder::Count(std::string_view param, std::int64_t low,
                                                   std::int64_t high, std::int64_t otherwise) {
  const Json* value = Find(param);
  if (value == nullptr) return otherwise;
  const std::optional<std::int64_t> number = value->AsInt();
  if (number && *number >= low && *number <= high) return number;
  WrongType(Below(param), param, RangeText(low, high), *value);
  return std::nullopt;
}

std::optional<BodyRef> PlanTaskBuilder::Body(std::string_view pointer) {
  const std::string place = PointerTo(pointer);
  for (std::size_t i = 0; i < node_.bodies.size(); ++i) {
    const PlanBody& body = node_.bodies[i];
    if (body.pointer == place) return BodyRef{static_cast<std::uint32_t>(i), body.catch_codes};
  }
  return std::nullopt;
}

std::shared_ptr<const Schema> PlanTaskBuilder::CalledPlan(std::string_view param) {
  const Json* value = Require(param);
  if (value == nullptr) return nullptr;
  const std::optional<std::string_view> name = value->AsString();
  if (!name) {
    WrongType(Below(param), param, "the name of a plan", *value);
    return nullptr;
  }
  const auto found = scope_.calls.find(*name);
  RANKD_CHECK(found != scope_.calls.end());
  if (found->second.graph == nullptr) {
    Problem(Below(param), found->second.refused);
    return nullptr;
  }
  called_ = found->second.graph;
  return found->second.schema;
}

void PlanTaskBuilder::RefuseOtherParams() {
  if (node_.params == nullptr) return;
  std::vector<std::string_view> known;
  const std::span<const JsonField> fields = node_.params->fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = fields[i].name;
    if (read_[i] || fields[i].value.is_null() || name == "trace") continue;
    if (name == "rhs" && spec_.takes_rhs) continue;
    if (std::ranges::find(spec_.params, name, &ParamDoc::name) != spec_.params.end()) continue;
    if (known.empty()) {
      for (const ParamDoc& param : spec_.params) known.push_back(param.name);
      if (spec_.takes_rhs) known.push_back("rhs");
      known.push_back("trace");
    }
    const bool of_node = std::ranges::find(kFieldsOfNodes, name) != std::end(kFieldsOfNodes);
    Problem(Below(name),
            "the op " + JsonQuoted(spec_.op) + " has no param " + JsonQuoted(name) +
                (of_node ? "; it stands beside \"params\", not in it" : DidYouMean(name, known)));
  }
}

}  // namespace rankd
