// Expressions: compiled once per plan, bound once per node start, evaluated a column at a time.
//
//   Expression       typed and immutable; shared by all runs; any thread
//   BoundExpression  an Expression with its params, loop variables and regexes resolved for one
//                    node start; made on the loop thread, evaluated on any one thread at a time
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"

namespace rankd {

/// Limits of one expression, text or IR.
inline constexpr std::size_t kMaxExpressionDepth = 64;
inline constexpr std::size_t kMaxExpressionNodes = 10'000;

/// A row expression has a value for each row; a bare name is a key. A scalar expression has one
/// value; keys appear only inside aggregates (count, sum, mean, lowest, …).
enum class ExpressionKind : std::uint8_t { kRow, kScalar };

/// What an expression is for; decides the names and the type it may have.
struct ExpressionScope {
  const Schema* schema = nullptr;  ///< Used while compiling only.
  ExpressionKind kind = ExpressionKind::kRow;
  /// The type wanted: an int is taken for a float; nullopt takes any type.
  std::optional<ValueType> target;
  std::string target_name;  ///< "key \"score\" (float)": how messages name the target.
  std::span<const std::string> loop_variables;  ///< L.name; index = slot in EvalEnv.
  bool error_variables = false;                 ///< E.code, E.message, E.node are known.
};

class Expression;
using ExpressionRef = std::shared_ptr<const Expression>;

/// Compiles text notation. On failure returns nullptr and appends every problem found to
/// `problems` (code kInvalidPlan); messages name the column and end with two more lines, the text
/// and a caret under it. `pointer` of each is empty: the caller knows where the text stands.
ExpressionRef CompileText(std::string_view text, const ExpressionScope& scope,
                          std::vector<Error>& problems);

/// Compiles IR notation. As CompileText, with `pointer` relative to `ir` ("/a/b", "" for itself).
ExpressionRef CompileIr(const Json& ir, const ExpressionScope& scope, std::vector<Error>& problems);

/// What a run gives an expression. Read by Bind, which copies what it needs.
struct EvalEnv {
  const ParamValues* params = nullptr;
  const Schema* schema = nullptr;  ///< For param names in messages.
  std::span<const std::int64_t> loop_values;
  const Error* error = nullptr;  ///< In a catch body: E.code, E.message, E.node.
};

class BoundExpression;

/// Resolves params. Fails, whatever the rows, with missing_param for a `nullable:false` param
/// without value used outside coalesce/is_null/not_null or a null regex pattern, and with
/// invalid_param for a bad regex from a param. Cheap when there are no params.
[[nodiscard]] Result<BoundExpression> Bind(ExpressionRef expression, const EvalEnv& env);

/// The type of the values; nullopt for an expression that is only the literal null.
std::optional<ValueType> TypeOf(const Expression& expression);
/// The keys it reads, sorted, without repeats.
std::span<const KeyId> KeysRead(const Expression& expression);
/// The params it reads, sorted, without repeats.
std::span<const ParamId> ParamsRead(const Expression& expression);
/// Whether it names a loop variable.
bool ReadsLoopVariables(const Expression& expression);
/// Whether Bind gives the same for every run, and cannot fail: it reads no params, loop variables
/// or errors. What is bound may then be evaluated on many threads at once.
bool IsBoundOnce(const Expression& expression);
/// Rough cost in nanoseconds a row, for the choice between inline and pool.
double CostPerRow(const Expression& expression);

class BoundExpression {
 public:
  BoundExpression(BoundExpression&&) noexcept;
  BoundExpression& operator=(BoundExpression&&) noexcept;
  ~BoundExpression();

  /// Row expressions: one value for each of `rows`, in order; of the scope's target type where one
  /// was given. Fails only with cancelled, when `stop` is seen between blocks.
  [[nodiscard]] Result<ColumnRef> EvaluateColumn(const RowSet& rows, StopToken stop) const;

  /// Row expressions of type bool: the base rows of those of `rows` where it is true (not null),
  /// in order. Fails only with cancelled.
  [[nodiscard]] Result<Selection> EvaluateFilter(const RowSet& rows, StopToken stop) const;

  /// Scalar expressions, over `rows`. Of the target type where one was given. Fails only with
  /// cancelled.
  [[nodiscard]] Result<Value> EvaluateScalar(const RowSet& rows, StopToken stop) const;

  /// Scalar expressions, once for each group: `group_of_row[i]` < `groups` is the group of row i.
  /// One value a group. Within a group rows keep their order. Fails only with cancelled.
  [[nodiscard]] Result<ColumnRef> EvaluateGrouped(const RowSet& rows,
                                                  std::span<const std::uint32_t> group_of_row,
                                                  std::size_t groups, StopToken stop) const;

 private:
  friend Result<BoundExpression> Bind(ExpressionRef, const EvalEnv&);
  struct State;
  explicit BoundExpression(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rankd
