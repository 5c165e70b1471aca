#include <utility>

#include "engine/graph/task_builder.h"
#include "engine/plan/object_reader.h"

namespace rankd {

ExpressionScope PlanTaskBuilder::AnyScope() const {
  ExpressionScope scope;
  scope.schema = &scope_.schema;
  scope.loop_variables = names_.loop_variables;
  scope.error_variables = names_.error_variables;
  return scope;
}

ExpressionScope PlanTaskBuilder::ScopeFor(ExpressionKind kind, KeyId target) const {
  const KeySpec& key = scope_.schema.key(target);
  ExpressionScope scope = AnyScope();
  scope.kind = kind;
  scope.target = key.type;
  scope.target_name = "key " + JsonQuoted(key.name) + " (" + std::string(TypeName(key.type)) + ")";
  return scope;
}

std::optional<ExpressionSlot> PlanTaskBuilder::RowExpression(std::string_view param,
                                                             std::optional<KeyId> target) {
  return ReadExpression(param, TableKind::kExpressions,
                        target ? ScopeFor(ExpressionKind::kRow, *target) : AnyScope());
}

std::optional<ExpressionSlot> PlanTaskBuilder::Predicate(std::string_view param) {
  ExpressionScope scope = PredicateScope(scope_.schema);
  scope.loop_variables = names_.loop_variables;
  scope.error_variables = names_.error_variables;
  return ReadExpression(param, TableKind::kPredicates, scope);
}

std::optional<ExpressionSlot> PlanTaskBuilder::ScalarExpression(const Json& value,
                                                                std::string_view pointer,
                                                                KeyId target) {
  return Compile(value, pointer, ScopeFor(ExpressionKind::kScalar, target));
}

std::optional<ExpressionSlot> PlanTaskBuilder::Condition(const Json& value,
                                                         std::string_view pointer, bool in_body) {
  ExpressionScope scope = AnyScope();
  if (in_body && !node_.bodies.empty()) {
    names_in_body_ = names_.loop_variables;
    names_in_body_.emplace_back(node_.bodies.front().loop_variable);
    scope.loop_variables = names_in_body_;
  }
  scope.kind = ExpressionKind::kScalar;
  scope.target = ValueType::kBool;
  scope.target_name = "a condition (bool)";
  return Compile(value, pointer, scope);
}

std::optional<ExpressionSlot> PlanTaskBuilder::Argument(const Json& value, std::string_view pointer,
                                                        const ParamSpec& param) {
  ExpressionScope scope = AnyScope();
  scope.kind = ExpressionKind::kScalar;
  scope.target = param.type;
  scope.target_name =
      "param " + JsonQuoted(param.name) + " (" + std::string(TypeName(param.type)) + ")";
  return Compile(value, pointer, scope);
}

double PlanTaskBuilder::CostPerRow(ExpressionSlot slot) const {
  return rankd::CostPerRow(*expressions_[Index(slot)]);
}

std::optional<ExpressionSlot> PlanTaskBuilder::ReadExpression(std::string_view param,
                                                              TableKind kind,
                                                              const ExpressionScope& scope) {
  const std::string id_param = std::string(param) + "_id";
  const Json* inline_expression = Find(param);
  const Json* id = Find(id_param);
  if (inline_expression == nullptr && id == nullptr) {
    Problem("", "the op " + JsonQuoted(spec_.op) + " needs the param " + JsonQuoted(param) +
                    " or " + JsonQuoted(id_param));
    return std::nullopt;
  }
  if (inline_expression != nullptr && id != nullptr) {
    Problem(JsonPointer("", id_param),
            "only one of " + JsonQuoted(param) + " and " + JsonQuoted(id_param) + " may be given");
  }
  // Both are looked at, so that each one's own problems are told as well.
  std::optional<ExpressionSlot> from_table;
  if (id != nullptr) from_table = FromTable(*id, id_param, kind, scope);
  if (inline_expression == nullptr) return from_table;
  const std::optional<ExpressionSlot> slot =
      Compile(*inline_expression, JsonPointer("", param), scope);
  return id == nullptr ? slot : std::nullopt;
}

std::optional<ExpressionSlot> PlanTaskBuilder::FromTable(const Json& id, std::string_view param,
                                                         TableKind kind,
                                                         const ExpressionScope& scope) {
  ExpressionTable& table = kind == TableKind::kExpressions ? scope_.expressions : scope_.predicates;
  const std::string pointer = JsonPointer("", param);
  const std::optional<std::string_view> name = id.AsString();
  if (!name) {
    WrongType(pointer, param, "an id of " + JsonQuoted(TableName(kind)), id);
    return std::nullopt;
  }
  ExpressionTable::Entry* entry = table.Find(*name);
  if (entry == nullptr) {
    Problem(pointer, "no entry " + JsonQuoted(*name) + " in " + JsonQuoted(TableName(kind)) +
                         table.DidYouMean(*name));
    return std::nullopt;
  }
  if (!entry->sound()) return std::nullopt;
  std::vector<Error> errors;
  ExpressionRef expression = table.Compile(*entry, scope, errors);
  // The entry is right by itself: what is wrong is this use of it.
  for (const Error& error : errors) Problem(pointer, error.message);
  if (expression == nullptr) return std::nullopt;
  return Keep(std::move(expression));
}

std::optional<ExpressionSlot> PlanTaskBuilder::Compile(const Json& value, std::string_view pointer,
                                                       const ExpressionScope& scope) {
  const std::optional<std::string_view> text = value.AsString();
  if (!text && !value.is_object()) {
    Problem(pointer,
            "an expression is given as text or as an IR object, not as " + value.Describe());
    return std::nullopt;
  }
  std::vector<Error> errors;
  ExpressionRef expression =
      text ? CompileText(*text, scope, errors) : CompileIr(value, scope, errors);
  if (!errors.empty()) ReportExpressionErrors(errors, PointerTo(pointer), scope_.problems);
  if (expression == nullptr || !errors.empty()) return std::nullopt;
  if (!UseExpression(*expression, scope_.uses, [&] { return PointerTo(pointer); })) {
    return std::nullopt;
  }
  return Keep(std::move(expression));
}

ExpressionSlot PlanTaskBuilder::Keep(ExpressionRef expression) {
  expressions_.push_back(std::move(expression));
  return ExpressionSlot{static_cast<std::uint32_t>(expressions_.size() - 1)};
}

}  // namespace rankd
