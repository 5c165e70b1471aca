#include "engine/graph/called_plans.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "engine/base/json.h"
#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

/// One `call` of a plan or its bodies.
struct CallSite {
  std::string_view plan;
  std::string pointer;  ///< To the name.
};

void FindCalls(const PlanBody& body, std::vector<CallSite>& calls) {
  for (const PlanNode& node : body.nodes) {
    for (const PlanBody& inside : node.bodies) FindCalls(inside, calls);
    if (node.op != "call" || node.params == nullptr) continue;
    const Json* name = node.params->Find("plan");
    const std::optional<std::string_view> text = name ? name->AsString() : std::nullopt;
    if (text) calls.push_back({*text, body.NodePointer(node) + "/params/plan"});
  }
}

std::vector<CallSite> CallsOf(const Plan& plan) {
  std::vector<CallSite> calls;
  FindCalls(plan, calls);
  return calls;
}

std::string Refused(std::string_view name) {
  return "the plan " + JsonQuoted(name) + " cannot be called: ";
}

/// The plan's own entries at the places of `common`, what it does not know hidden.
std::shared_ptr<const Schema> Renumber(const Schema& own, const Schema& common) {
  auto schema = std::make_shared<Schema>();
  for (std::uint32_t i = 1; i < common.key_count(); ++i) {
    const KeySpec& key = common.key(KeyId{i});
    const std::optional<KeyId> mine = own.FindKey(key.name);
    if (mine) {
      schema->AddKey(own.key(*mine));
    } else {
      schema->AddHiddenKey(key);
    }
  }
  schema->SetKey(kIdKey, own.key(kIdKey));
  for (std::uint32_t i = 0; i < own.param_count(); ++i) schema->AddParam(own.param(ParamId{i}));
  return schema;
}

}  // namespace

CalledPlans::CalledPlans(const Plan& root, PlanSource* source)
    : source_(source), root_schema_(root.schema) {
  const std::vector<CallSite> calls = CallsOf(root);
  if (calls.empty()) return;
  AddKeys(*root.schema);
  chain_.push_back(root.name);
  for (const CallSite& call : calls) {
    std::string reason = Load(call.plan);
    if (!reason.empty()) refused_.emplace(call.plan, std::move(reason));
  }
  root_schema_ = Renumber(*root.schema, common_);
  for (Entry& entry : entries_) entry.schema = Renumber(*entry.plan->schema, common_);
}

std::string CalledPlans::Load(std::string_view name) {
  if (std::ranges::find(chain_, name) != chain_.end()) {
    std::string text = "plans may not call each other in a circle: ";
    for (const std::string& caller : chain_) text += caller + " -> ";
    return text + std::string(name);
  }
  if (const auto seen = refused_.find(name); seen != refused_.end()) return seen->second;
  if (std::ranges::find(entries_, name, &Entry::name) != entries_.end()) return "";
  if (chain_.size() > kMaxCallDepth) {
    return "plans may call each other " + std::to_string(kMaxCallDepth) + " deep, not more";
  }
  chain_.emplace_back(name);
  Entry entry;
  entry.name = name;
  std::string reason = Read(name, entry);
  chain_.pop_back();
  if (reason.empty()) {
    entries_.push_back(std::move(entry));
  } else {
    refused_.emplace(name, reason);
  }
  return reason;
}

std::string CalledPlans::Read(std::string_view name, Entry& entry) {
  if (source_ == nullptr) return "there are no plans to call here";
  Problems problems;
  Result<std::unique_ptr<const Plan>> plan = source_->Load(name, problems);
  if (!plan) return plan.error().message;
  if (problems.has_errors()) return RefusedFor(name, problems);
  entry.plan = *std::move(plan);
  for (const CallSite& call : CallsOf(*entry.plan)) {
    const std::string reason = Load(call.plan);
    if (!reason.empty()) return Refused(name) + call.pointer + ": " + reason;
  }
  const std::string conflict = AddKeys(*entry.plan->schema);
  return conflict.empty() ? "" : Refused(name) + conflict;
}

std::string CalledPlans::AddKeys(const Schema& schema) {
  for (std::uint32_t i = 1; i < schema.key_count(); ++i) {
    const KeySpec& key = schema.key(KeyId{i});
    const std::optional<KeyId> known = common_.FindKey(key.name);
    if (!known) {
      // Numbers are each plan's own affair.
      KeySpec named = key;
      named.registry_id.reset();
      common_.AddKey(std::move(named));
    } else if (common_.key(*known).type != key.type) {
      return "its key " + JsonQuoted(key.name) + " is of type " + std::string(TypeName(key.type)) +
             ", that of the plans around it of type " +
             std::string(TypeName(common_.key(*known).type));
    }
  }
  return "";
}

std::string RefusedFor(std::string_view name, const Problems& problems) {
  return Refused(name) + SummaryOf(problems);
}

}  // namespace rankd
