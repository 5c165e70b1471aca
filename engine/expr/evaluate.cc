#include "engine/expr/evaluate.h"

#include <algorithm>
#include <utility>

#include "engine/expr/lookup.h"
#include "engine/expr/output.h"

namespace rankd {
namespace {

/// A root that is computed, of a type other than string.
template <typename T>
Result<ColumnRef> ComputedColumn(Frame& frame, Operand root, std::size_t rows,
                                 const StopToken& stop) {
  std::vector<T> values;
  values.reserve(rows);
  ValidityOutput validity(rows);
  const bool done = RunBlocks(frame, rows, stop, [&](std::size_t begin, std::size_t n) {
    const Vec vec = frame.Get(root);
    values.insert(values.end(), vec.As<T>(), vec.As<T>() + n);
    validity.Add(vec, begin, n);
  });
  if (!done) return Cancelled();
  return Column::Make(std::move(values), std::move(validity).Finish());
}

/// True when strings are made, in memory that the next block uses again.
bool MakesStrings(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
    return instruction.op >= OpCode::kLower && instruction.out.type == ValueType::kString;
  });
}

Result<ColumnRef> ComputedStrings(Frame& frame, Operand root, bool makes_strings, std::size_t rows,
                                  const StopToken& stop) {
  std::vector<std::uint32_t> codes;
  codes.reserve(rows);
  ValidityOutput validity(rows);
  InternedOutput interned;
  const bool done = RunBlocks(frame, rows, stop, [&](std::size_t begin, std::size_t n) {
    if (makes_strings) interned.Forget();
    const Vec vec = frame.Get(root);
    for (std::size_t i = 0; i < n; ++i) {
      codes.push_back(vec.ValidAt(i) ? interned.Intern(vec.At<std::string_view>(i)) : 0);
    }
    validity.Add(vec, begin, n);
  });
  if (!done) return Cancelled();
  return Column::Make(Column::Strings{std::move(codes), std::move(interned).Finish()},
                      std::move(validity).Finish());
}

}  // namespace

Result<ColumnRef> EvaluateRoot(const Program& program, std::span<const InputColumn> inputs,
                               const Bindings& bindings, std::size_t rows, const StopToken& stop) {
  const Operand root = program.roots.front();
  if (root.kind == OperandKind::kUniform) {
    return Column::Constant(root.type, SlotValue(bindings.slots[root.index], root.type), rows);
  }
  if (root.kind == OperandKind::kInput) return inputs[root.index].Gather(root.type, rows);
  Frame frame(program, inputs, bindings, rows);
  return WithCppType(root.type, [&]<typename T>() {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return ComputedStrings(frame, root, MakesStrings(program), rows, stop);
    } else {
      return ComputedColumn<T>(frame, root, rows, stop);
    }
  });
}

Result<void> ResolveInputs(const Program& program, const Expression& expression, const RowSet& rows,
                           const Bindings& bindings, const StopToken& stop, InputColumns& inputs) {
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const ProgramInput& input = program.inputs[i];
    if (input.kind == InputKind::kLookup) {
      RANKD_TRY(inputs[i], EvaluateLookup(expression.lookups[input.index], rows, bindings, stop));
      continue;
    }
    inputs[i].shared = FindColumn(rows, KeyId{input.index});
    inputs[i].selection = rows.selection() ? rows.selection()->data() : nullptr;
  }
  return {};
}

}  // namespace rankd
