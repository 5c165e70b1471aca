#include "engine/task/task.h"

#include <string>
#include <variant>

#include "engine/base/number_text.h"

namespace rankd {

Result<void> Task::CheckInputs(std::span<const KeySet> /*inputs*/, const Schema& /*schema*/) const {
  return {};
}

Result<std::int64_t> NumberParam::Evaluate(const NodeContext& context) const {
  if (literal_) return *literal_;
  const BoundExpression& expression = context.expression(slot_);
  const RowSet no_rows;
  const RowSet& rows = context.inputs.empty() ? no_rows : context.inputs.front();
  RANKD_TRY(const Value value, expression.EvaluateScalar(rows, context.stop));
  const std::int64_t* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return Fail(ErrorCode::kInvalidParam, "\"" + name_ + "\" is null");
  if (*number < low_ || *number > high_) {
    std::string message = "\"" + name_ + "\" is ";
    AppendInt(message, *number);
    message += ", out of its range ";
    AppendInt(message, low_);
    message += " to ";
    AppendInt(message, high_);
    return Fail(ErrorCode::kInvalidParam, std::move(message));
  }
  return *number;
}

}  // namespace rankd
