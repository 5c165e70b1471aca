// `expr_table` and `pred_table` of a plan, compiled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/json.h"
#include "engine/expr/expression.h"
#include "engine/graph/entry_uses.h"
#include "engine/graph/suggestions.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"

namespace rankd {

enum class TableKind : std::uint8_t { kExpressions, kPredicates };

/// "expr_table" or "pred_table".
std::string_view TableName(TableKind kind);

/// One table; references the plan.
class ExpressionTable {
 public:
  class Entry {
   public:
    /// False when something was wrong with the entry itself, which has been reported.
    bool sound() const { return sound_; }

   private:
    friend class ExpressionTable;
    const Json* ir_ = nullptr;
    bool sound_ = false;
    /// Compiled for no type in particular and for each ValueType: many nodes may share one entry.
    std::array<ExpressionRef, 5> compiled_;
  };

  /// Compiles each entry once on its own and reports what is wrong with it.
  ExpressionTable(TableKind kind, const Plan& plan, const Schema& schema, EntryUses& uses,
                  Problems& problems);

  /// Nullptr if there is no such entry.
  Entry* Find(std::string_view id);
  std::string DidYouMean(std::string_view id) { return suggestions_.DidYouMean(id); }

  /// A sound entry as an expression of the scope's type; what stands against that is appended to
  /// `errors`.
  ExpressionRef Compile(Entry& entry, const ExpressionScope& scope, std::vector<Error>& errors);

 private:
  void Check(std::string_view id, Entry& entry, const ExpressionScope& scope, EntryUses& uses,
             Problems& problems);

  TableKind kind_;
  std::unordered_map<std::string_view, Entry> entries_;
  Suggestions suggestions_;
};

/// Records the problems of an expression that stands at `pointer`.
void ReportExpressionErrors(const std::vector<Error>& errors, const std::string& pointer,
                            Problems& problems);

/// Tells `uses` of all that an expression reads; false when some of it is blocked.
bool UseExpression(const Expression& expression, EntryUses& uses,
                   const EntryUses::Pointer& pointer);

/// The scope of a predicate over rows.
ExpressionScope PredicateScope(const Schema& schema);

}  // namespace rankd
