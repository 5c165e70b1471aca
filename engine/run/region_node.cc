#include "engine/run/region_node.h"

#include <utility>

#include "engine/run/active_node.h"
#include "engine/run/run.h"

namespace rankd {

void RegionNode::Start(const Region& region) {
  state_ = region.MakeState(*this);
  state_->Start();
}

void RegionNode::End() {
  if (state_ == nullptr) return;
  ++epoch;
  if (state_->IsLarge()) {
    run_.Dispose(std::move(state_));
  } else {
    state_.reset();
  }
}

EvalEnv RegionNode::Env(std::int64_t loop_value) {
  EvalEnv env = node_.activation()->Env();
  loop_values_.assign(env.loop_values.begin(), env.loop_values.end());
  loop_values_.push_back(loop_value);
  env.loop_values = loop_values_;
  return env;
}

const NodeContext& RegionNode::context() const { return node_.context; }

Result<bool> RegionNode::Holds(ExpressionSlot condition, const RowSet& rows,
                               std::int64_t loop_value) {
  const NodeContext& bound = node_.context;
  const ExpressionRef& expression = node_.graph_node().expressions[Index(condition)];
  if (!ReadsLoopVariables(*expression)) {
    RANKD_TRY(const Value value, bound.expression(condition).EvaluateScalar(rows, bound.stop));
    return !IsNull(value) && std::get<bool>(value);
  }
  RANKD_TRY(const BoundExpression now, Bind(expression, Env(loop_value)));
  RANKD_TRY(const Value value, now.EvaluateScalar(rows, bound.stop));
  return !IsNull(value) && std::get<bool>(value);
}

void RegionNode::StartBody(BodyStart start) { run_.StartBody(node_, std::move(start)); }

void RegionNode::CancelBodies() { run_.CancelBodies(node_); }

void RegionNode::Compute(RegionWork& work, double nanoseconds) {
  run_.Compute(node_, work, nanoseconds);
}

void RegionNode::Defer() { run_.Defer(node_); }

void RegionNode::CountSkipped() { run_.OnItemSkipped(node_); }

void RegionNode::Finish(Result<RowSet> result) { run_.RegionDone(node_, std::move(result)); }

}  // namespace rankd
