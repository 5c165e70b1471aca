// The TaskBuilder over a node of a plan: reads params, resolves names, compiles expressions, and
// records every problem with its JSON pointer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/entry_uses.h"
#include "engine/graph/expression_tables.h"
#include "engine/graph/graph.h"
#include "engine/graph/suggestions.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"

namespace rankd {

/// A plan that nodes call, built.
struct CalledPlan {
  std::shared_ptr<const Schema> schema;
  std::shared_ptr<const Graph> graph;  ///< Nullptr when it cannot be called: `refused` says why.
  std::string refused;
};

/// What the builders of one plan's nodes share, those of its bodies included.
class BuildScope {
 public:
  /// `calls`: by name, every plan that a node calls.
  BuildScope(const Plan& plan, const Schema& schema, const EndpointTable& endpoints,
             const std::map<std::string, CalledPlan, std::less<>>& calls, Problems& problems);
  BuildScope(const BuildScope&) = delete;
  BuildScope& operator=(const BuildScope&) = delete;

  const Schema& schema;
  const EndpointTable& endpoints;
  const std::map<std::string, CalledPlan, std::less<>>& calls;
  Problems& problems;
  EntryUses uses;
  ExpressionTable expressions;
  ExpressionTable predicates;
  Suggestions key_names;
  Suggestions endpoint_names;
};

/// What expressions in a body may name besides keys and params.
struct BodyNames {
  std::vector<std::string> loop_variables;  ///< From the outermost in.
  bool error_variables = false;
};

/// For one node; used once.
class PlanTaskBuilder final : public TaskBuilder {
 public:
  PlanTaskBuilder(BuildScope& scope, const PlanBody& body, const BodyNames& names,
                  const PlanNode& node, const TaskSpec& spec, std::size_t input_count);

  const Schema& schema() const override { return scope_.schema; }
  std::size_t input_count() const override { return input_count_; }
  const Json* Find(std::string_view param) override;

  std::optional<KeyId> Key(std::string_view param, KeyUse use) override;
  std::optional<KeyId> KeyOr(std::string_view param, KeyUse use,
                             std::optional<KeyId> otherwise) override;
  std::optional<std::vector<KeyId>> KeyList(std::string_view param, KeyUse use) override;
  std::optional<KeyId> KeyValue(const Json& value, std::string_view pointer, KeyUse use) override;
  std::optional<KeyId> KeyNamed(std::string_view name, std::string_view pointer,
                                KeyUse use) override;
  std::optional<EndpointId> Endpoint(std::string_view param) override;
  std::optional<NumberParam> Number(std::string_view param, std::int64_t low, std::int64_t high,
                                    std::optional<std::int64_t> otherwise) override;
  bool Flag(std::string_view param, bool otherwise) override;
  std::optional<std::size_t> Choice(std::string_view param,
                                    std::initializer_list<std::string_view> choices,
                                    std::optional<std::size_t> otherwise) override;
  std::optional<KeyTemplate> Template(std::string_view param, std::string_view otherwise) override;

  std::optional<ExpressionSlot> RowExpression(std::string_view param,
                                              std::optional<KeyId> target) override;
  std::optional<ExpressionSlot> Predicate(std::string_view param) override;
  std::optional<ExpressionSlot> ScalarExpression(const Json& value, std::string_view pointer,
                                                 KeyId target) override;
  std::optional<ExpressionSlot> Condition(const Json& value, std::string_view pointer,
                                          bool in_body) override;
  std::optional<ExpressionSlot> Argument(const Json& value, std::string_view pointer,
                                         const ParamSpec& param) override;
  std::optional<BodyRef> Body(std::string_view pointer) override;
  std::shared_ptr<const Schema> CalledPlan(std::string_view param) override;
  std::optional<std::int64_t> Count(std::string_view param, std::int64_t low, std::int64_t high,
                                    std::int64_t otherwise) override;
  double CostPerRow(ExpressionSlot slot) const override;

  void Problem(std::string_view pointer, std::string message) override;
  void NeedUserId() override { needs_user_id_ = true; }

  /// After the factory: records each param that is neither documented nor was read.
  void RefuseOtherParams();

  /// The called plan's, if there is one.
  const std::shared_ptr<const Graph>& called() const { return called_; }
  bool needs_user_id() const { return needs_user_id_; }
  std::vector<ExpressionRef> TakeExpressions() { return std::move(expressions_); }
  /// Those that were read, without repeats.
  std::vector<EndpointId> TakeEndpoints() { return std::move(endpoints_); }

 private:
  std::string PointerTo(std::string_view below_params) const;
  /// Find(), recording a problem when there is nothing.
  const Json* Require(std::string_view param);
  void Missing(std::string_view param);
  void WrongType(std::string_view pointer, std::string_view name, std::string_view wanted,
                 const Json& found);
  std::optional<KeyId> CheckUse(KeyId key, std::string_view pointer, KeyUse use);
  std::optional<KeyId> UnknownKey(std::string_view name, std::string_view pointer);

  ExpressionScope ScopeFor(ExpressionKind kind, KeyId target) const;
  std::optional<ExpressionSlot> ReadExpression(std::string_view param, TableKind kind,
                                               const ExpressionScope& scope);
  std::optional<ExpressionSlot> FromTable(const Json& id, std::string_view param, TableKind kind,
                                          const ExpressionScope& scope);
  /// Text or IR that stands at `pointer`.
  std::optional<ExpressionSlot> Compile(const Json& value, std::string_view pointer,
                                        const ExpressionScope& scope);
  ExpressionSlot Keep(ExpressionRef expression);

  /// Of any type that the target takes; a row expression without target.
  ExpressionScope AnyScope() const;

  BuildScope& scope_;
  const PlanBody& body_;
  const BodyNames& names_;
  const PlanNode& node_;
  const TaskSpec& spec_;
  std::size_t input_count_;
  std::vector<bool> read_;  ///< Which fields of the params were asked for.
  std::vector<ExpressionRef> expressions_;
  std::vector<std::string> names_in_body_;  ///< The scope's loop variables and the node's own.
  std::shared_ptr<const Graph> called_;
  std::vector<EndpointId> endpoints_;
  bool needs_user_id_ = false;
};

}  // namespace rankd
