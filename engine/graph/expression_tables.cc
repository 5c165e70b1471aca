#include "engine/graph/expression_tables.h"

#include <utility>
#include <vector>

#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

std::size_t CompiledSlot(const ExpressionScope& scope) {
  return scope.target ? 1 + static_cast<std::size_t>(*scope.target) : 0;
}

const Json* TableOf(TableKind kind, const Plan& plan) {
  return kind == TableKind::kExpressions ? plan.expr_table : plan.pred_table;
}

std::vector<std::string_view> FieldNames(const Json* table) {
  std::vector<std::string_view> names;
  if (table == nullptr) return names;
  for (const JsonField& field : table->fields()) names.push_back(field.name);
  return names;
}

}  // namespace

std::string_view TableName(TableKind kind) {
  return kind == TableKind::kExpressions ? "expr_table" : "pred_table";
}

ExpressionTable::ExpressionTable(TableKind kind, const Plan& plan, const Schema& schema,
                                 EntryUses& uses, Problems& problems)
    : kind_(kind), suggestions_([kind, &plan] { return FieldNames(TableOf(kind, plan)); }) {
  const Json* table = TableOf(kind, plan);
  if (table == nullptr) return;
  ExpressionScope scope;
  scope.schema = &schema;
  if (kind == TableKind::kPredicates) scope = PredicateScope(schema);
  entries_.reserve(table->fields().size());
  for (const JsonField& field : table->fields()) {
    if (field.value.is_null()) continue;
    const auto [entry, is_new] = entries_.try_emplace(field.name);
    if (!is_new) continue;  // a repeat, which is reported already
    entry->second.ir_ = &field.value;
    Check(field.name, entry->second, scope, uses, problems);
  }
}

void ExpressionTable::Check(std::string_view id, Entry& entry, const ExpressionScope& scope,
                            EntryUses& uses, Problems& problems) {
  const auto pointer = [&] { return JsonPointer("/" + std::string(TableName(kind_)), id); };
  if (!entry.ir_->is_object()) {
    problems.Add(pointer(), "an entry of " + JsonQuoted(TableName(kind_)) +
                                " must be an expression in IR form, an object, not " +
                                entry.ir_->Describe());
    return;
  }
  std::vector<Error> errors;
  const ExpressionRef expression = Compile(entry, scope, errors);
  ReportExpressionErrors(errors, errors.empty() ? std::string() : pointer(), problems);
  entry.sound_ =
      errors.empty() && expression != nullptr && UseExpression(*expression, uses, pointer);
}

ExpressionTable::Entry* ExpressionTable::Find(std::string_view id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

ExpressionRef ExpressionTable::Compile(Entry& entry, const ExpressionScope& scope,
                                       std::vector<Error>& errors) {
  ExpressionRef& compiled = entry.compiled_[CompiledSlot(scope)];
  if (compiled == nullptr) compiled = CompileIr(*entry.ir_, scope, errors);
  return compiled;
}

void ReportExpressionErrors(const std::vector<Error>& errors, const std::string& pointer,
                            Problems& problems) {
  for (const Error& error : errors) {
    problems.Add(pointer + error.pointer, error.message, error.code);
  }
}

bool UseExpression(const Expression& expression, EntryUses& uses,
                   const EntryUses::Pointer& pointer) {
  bool allowed = true;
  for (const KeyId key : KeysRead(expression)) allowed = uses.UseKey(key, pointer) && allowed;
  for (const ParamId param : ParamsRead(expression)) {
    allowed = uses.UseParam(param, pointer) && allowed;
  }
  return allowed;
}

ExpressionScope PredicateScope(const Schema& schema) {
  ExpressionScope scope;
  scope.schema = &schema;
  scope.target = ValueType::kBool;
  scope.target_name = "predicate (bool)";
  return scope;
}

}  // namespace rankd
