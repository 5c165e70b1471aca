// Binding an expression to the params of a run, and what a bound expression can do.
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/expr/aggregate.h"
#include "engine/expr/compiled.h"
#include "engine/expr/evaluate.h"
#include "engine/expr/expression.h"
#include "engine/expr/names.h"
#include "engine/expr/ones.h"
#include "engine/expr/uniform.h"

namespace rankd {

struct BoundExpression::State {
  ExpressionRef expression;
  std::vector<UniformSlot> own_slots;  ///< Where something depends on the run; else empty.
  std::vector<Regex> regexes;
  StringArena strings;
  Bindings bindings;
};

namespace {

const Value& ParamValue(const EvalEnv& env, ParamId param) {
  static const Value kNull;
  const bool known = env.params != nullptr && Index(param) < env.params->size();
  return known ? env.params->Get(param) : kNull;
}

Result<void> CheckRequired(const Expression& expression, const EvalEnv& env) {
  for (const NamedParam& required : expression.required) {
    if (IsNull(ParamValue(env, required.param))) {
      return Fail(ErrorCode::kMissingParam, "the param \"" + required.name + "\" has no value");
    }
  }
  return {};
}

Result<std::vector<Regex>> BindRegexes(const Expression& expression, const EvalEnv& env) {
  std::vector<Regex> regexes;
  regexes.reserve(expression.regex_sources.size());
  for (const RegexSource& source : expression.regex_sources) {
    if (!source.param) {
      regexes.push_back(source.literal);
      continue;
    }
    const std::string* pattern = std::get_if<std::string>(&ParamValue(env, source.param->param));
    if (pattern == nullptr) {
      return Fail(ErrorCode::kMissingParam,
                  "the param \"" + source.param->name + "\", a regex pattern, has no value");
    }
    Result<Regex> compiled = Regex::Compile(*pattern, source.ignore_case);
    if (!compiled) {
      return Fail(ErrorCode::kInvalidParam,
                  "the param \"" + source.param->name + "\" is a " + compiled.error().message);
    }
    regexes.push_back(*std::move(compiled));
  }
  return regexes;
}

void SetErrorField(UniformSlot& slot, const Error* error, ErrorFieldSlot field,
                   StringArena& strings) {
  std::string_view text;
  if (error != nullptr) {
    text = field == ErrorFieldSlot::kCode      ? CodeName(error->code)
           : field == ErrorFieldSlot::kMessage ? std::string_view(error->message)
                                               : std::string_view(error->node);
  }
  slot.valid = error != nullptr;
  new (slot.value.bytes) std::string_view(strings.Copy(text));
}

void SetParam(UniformSlot& slot, ValueType type, const Value& value, StringArena& strings) {
  SetSlot(slot, type, value);
  // A copy, so that work left behind by an answered request refers to nothing of it.
  if (const std::string* text = std::get_if<std::string>(&value)) {
    new (slot.value.bytes) std::string_view(strings.Copy(*text));
  }
}

void FillSlots(const Expression& expression, const EvalEnv& env, std::vector<UniformSlot>& slots,
               StringArena& strings) {
  for (const UniformSource& source : expression.sources) {
    UniformSlot& slot = slots[source.slot];
    switch (source.kind) {
      case UniformSource::Kind::kParam:
        SetParam(slot, source.type, ParamValue(env, ParamId{source.index}), strings);
        break;
      case UniformSource::Kind::kLoopVariable:
        RANKD_CHECK(source.index < env.loop_values.size());
        SetSlot(slot, source.type, env.loop_values[source.index]);
        break;
      case UniformSource::Kind::kErrorField:
        SetErrorField(slot, env.error, ErrorFieldSlot{source.index}, strings);
        break;
    }
  }
}

/// Appends the base rows of the block's rows that `vec` is true for.
void AppendSelected(const Vec& vec, const std::uint32_t* selection, std::size_t begin,
                    std::size_t n, Selection& out) {
  if (vec.uniform) return;  // A key that the rows do not carry: null, so false.
  std::array<std::uint32_t, kBlockRows + 8> room;
  const std::uint8_t* const truth = vec.As<std::uint8_t>();
  std::array<std::uint8_t, kBlockRows> both;
  if (vec.valid != nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      both[i] = static_cast<std::uint8_t>(truth[i] & vec.valid[i]);
    }
  }
  const std::size_t count =
      PlacesOfOnes(std::span(vec.valid != nullptr ? both.data() : truth, n), room.data());
  const std::span<std::uint32_t> chosen = std::span(room).first(count);
  if (selection == nullptr) {
    for (std::uint32_t& row : chosen) row += static_cast<std::uint32_t>(begin);
  } else {
    for (std::uint32_t& row : chosen) row = selection[begin + row];
  }
  out.insert(out.end(), chosen.begin(), chosen.end());
}

Selection AllRows(const RowSet& rows) {
  if (rows.selection()) return *rows.selection();
  Selection all(rows.rows());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// The aggregates over `rows`; `groups` nullptr where there is one group.
Result<std::vector<ColumnRef>> EvaluateAggregates(const Expression& expression, const RowSet& rows,
                                                  const std::uint32_t* groups, std::size_t count,
                                                  const Bindings& bindings, const StopToken& stop) {
  std::vector<std::unique_ptr<Accumulator>> accumulators;
  for (const Aggregate& aggregate : expression.aggregates) {
    accumulators.push_back(MakeAccumulator(aggregate, count));
  }
  const Program& program = expression.inner;
  InputColumns inputs(program.inputs.size());
  RANKD_TRY(ResolveInputs(program, expression, rows, bindings, stop, inputs));
  Frame frame(program, inputs, bindings, rows.rows());
  const bool done = RunBlocks(frame, rows.rows(), stop, [&](std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
      const std::optional<std::uint32_t> root = expression.aggregates[i].root;
      const Vec values = root ? frame.Get(program.roots[*root]) : Vec{};
      accumulators[i]->Add(values, groups == nullptr ? nullptr : groups + begin, n);
    }
  });
  if (!done) return Cancelled();
  std::vector<ColumnRef> columns;
  for (const auto& accumulator : accumulators) columns.push_back(accumulator->Finish());
  return columns;
}

Result<ColumnRef> EvaluateGroups(const Expression& expression, const RowSet& rows,
                                 const std::uint32_t* groups, std::size_t count,
                                 const Bindings& bindings, const StopToken& stop) {
  std::vector<ColumnRef> columns;
  if (!expression.aggregates.empty() && count > 0) {
    RANKD_TRY(columns, EvaluateAggregates(expression, rows, groups, count, bindings, stop));
  }
  InputColumns inputs(expression.main.inputs.size());
  for (std::size_t i = 0; i < inputs.size() && count > 0; ++i) {
    inputs[i].shared = &columns[expression.main.inputs[i].index];
  }
  return EvaluateRoot(expression.main, inputs, bindings, count, stop);
}

}  // namespace

Result<BoundExpression> Bind(ExpressionRef expression, const EvalEnv& env) {
  RANKD_TRY(CheckRequired(*expression, env));
  auto state = std::make_unique<BoundExpression::State>();
  RANKD_TRY(state->regexes, BindRegexes(*expression, env));
  state->bindings.slots = expression->slots;
  state->bindings.tables = KernelTables{expression->lists, state->regexes};
  if (!expression->sources.empty() || !expression->once.code.empty()) {
    state->own_slots = expression->slots;
    FillSlots(*expression, env, state->own_slots, state->strings);
    RunOnce(expression->once, state->own_slots, state->bindings.tables, state->strings);
    state->bindings.slots = state->own_slots;
  }
  state->expression = std::move(expression);
  return BoundExpression(std::move(state));
}

BoundExpression::BoundExpression(std::unique_ptr<State> state) : state_(std::move(state)) {}
BoundExpression::BoundExpression(BoundExpression&&) noexcept = default;
BoundExpression& BoundExpression::operator=(BoundExpression&&) noexcept = default;
BoundExpression::~BoundExpression() = default;

Result<ColumnRef> BoundExpression::EvaluateColumn(const RowSet& rows, StopToken stop) const {
  const Expression& expression = *state_->expression;
  RANKD_CHECK(expression.kind == ExpressionKind::kRow);
  InputColumns inputs(expression.main.inputs.size());
  RANKD_TRY(ResolveInputs(expression.main, expression, rows, state_->bindings, stop, inputs));
  return EvaluateRoot(expression.main, inputs, state_->bindings, rows.rows(), stop);
}

Result<Selection> BoundExpression::EvaluateFilter(const RowSet& rows, StopToken stop) const {
  const Expression& expression = *state_->expression;
  RANKD_CHECK(expression.kind == ExpressionKind::kRow && expression.type == ValueType::kBool);
  const Program& program = expression.main;
  const Operand root = program.roots.front();
  if (root.kind == OperandKind::kUniform) {
    const Value value = SlotValue(state_->bindings.slots[root.index], root.type);
    return value == Value(true) ? AllRows(rows) : Selection();
  }
  InputColumns inputs(program.inputs.size());
  RANKD_TRY(ResolveInputs(program, expression, rows, state_->bindings, stop, inputs));
  Frame frame(program, inputs, state_->bindings, rows.rows());
  const std::uint32_t* const selection = rows.selection() ? rows.selection()->data() : nullptr;
  Selection out;
  const bool done = RunBlocks(frame, rows.rows(), stop, [&](std::size_t begin, std::size_t n) {
    AppendSelected(frame.Get(root), selection, begin, n, out);
  });
  if (!done) return Cancelled();
  return out;
}

Result<Value> BoundExpression::EvaluateScalar(const RowSet& rows, StopToken stop) const {
  const Expression& expression = *state_->expression;
  RANKD_CHECK(expression.kind == ExpressionKind::kScalar);
  const Operand root = expression.main.roots.front();
  if (root.kind == OperandKind::kUniform) {
    return SlotValue(state_->bindings.slots[root.index], root.type);
  }
  RANKD_TRY(const ColumnRef column,
            EvaluateGroups(expression, rows, nullptr, 1, state_->bindings, stop));
  return column->At(0);
}

Result<ColumnRef> BoundExpression::EvaluateGrouped(const RowSet& rows,
                                                   std::span<const std::uint32_t> group_of_row,
                                                   std::size_t groups, StopToken stop) const {
  const Expression& expression = *state_->expression;
  RANKD_CHECK(expression.kind == ExpressionKind::kScalar);
  RANKD_CHECK(group_of_row.size() == rows.rows());
  return EvaluateGroups(expression, rows, group_of_row.data(), groups, state_->bindings, stop);
}

}  // namespace rankd
