// What the engine knows of an op before it is used, and how a node's Task is made.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/data/schema.h"
#include "engine/task/key_template.h"
#include "engine/task/task.h"

namespace rankd {

enum class KeyUse : std::uint8_t { kRead, kWrite };

/// One of the bodies of a node with bodies.
struct BodyRef {
  std::uint32_t body = 0;
  /// What a catch is for; nullopt: every error.
  std::optional<ErrorCodes> catch_codes;
};

/// Reads one node's params. Every problem is recorded with its JSON pointer and a nullopt (or a
/// harmless value) comes back, so that a factory reads all its params before it gives up. Reading a
/// required param that is absent or null records that at the node's /params. Null counts as absent.
class TaskBuilder {
 public:
  virtual ~TaskBuilder() = default;

  virtual const Schema& schema() const = 0;
  virtual std::size_t input_count() const = 0;
  /// The param's value, nullptr when absent or null. For params with a shape of their own.
  virtual const Json* Find(std::string_view param) = 0;

  /// A key by name or registry id. kWrite refuses `id` and keys with allow_write:false.
  virtual std::optional<KeyId> Key(std::string_view param, KeyUse use) = 0;  ///< Required.
  virtual std::optional<KeyId> KeyOr(std::string_view param, KeyUse use,
                                     std::optional<KeyId> otherwise) = 0;
  /// A list of keys; nullopt when absent or broken. `id` is refused for kWrite.
  virtual std::optional<std::vector<KeyId>> KeyList(std::string_view param, KeyUse use) = 0;
  /// A key value that stands somewhere inside a param; `pointer` is relative to /params.
  virtual std::optional<KeyId> KeyValue(const Json& value, std::string_view pointer,
                                        KeyUse use) = 0;
  /// A key that names a field of an object inside a param (`rows`, `out`): its name, or its
  /// registry id as digits.
  virtual std::optional<KeyId> KeyNamed(std::string_view name, std::string_view pointer,
                                        KeyUse use) = 0;

  virtual std::optional<EndpointId> Endpoint(std::string_view param) = 0;  ///< Required.
  /// A whole number in [low, high] or {"expr": …}. Without `otherwise` it is required.
  virtual std::optional<NumberParam> Number(std::string_view param, std::int64_t low,
                                            std::int64_t high,
                                            std::optional<std::int64_t> otherwise) = 0;
  virtual bool Flag(std::string_view param, bool otherwise) = 0;
  /// One of `choices`, as its index. Without `otherwise` it is required.
  virtual std::optional<std::size_t> Choice(std::string_view param,
                                            std::initializer_list<std::string_view> choices,
                                            std::optional<std::size_t> otherwise) = 0;
  virtual std::optional<KeyTemplate> Template(std::string_view param,
                                              std::string_view otherwise) = 0;

  /// A row expression: text or IR at `param`, or the id of an entry of `expr_table` at `param`_id
  /// (exactly one of the two). Its type must suit the key `target`; nullopt (a key that could not
  /// be read) takes any.
  virtual std::optional<ExpressionSlot> RowExpression(std::string_view param,
                                                      std::optional<KeyId> target) = 0;
  /// The same for a bool; ids are those of `pred_table`.
  virtual std::optional<ExpressionSlot> Predicate(std::string_view param) = 0;
  /// A scalar expression that stands inside a param; `pointer` is relative to /params.
  virtual std::optional<ExpressionSlot> ScalarExpression(const Json& value,
                                                         std::string_view pointer,
                                                         KeyId target) = 0;

  /// A scalar condition (bool) that stands inside a param. `in_body`: the loop variable of the
  /// node's own body is known in it.
  virtual std::optional<ExpressionSlot> Condition(const Json& value, std::string_view pointer,
                                                  bool in_body) = 0;
  /// The value of a param of a called plan: a scalar expression of its type.
  virtual std::optional<ExpressionSlot> Argument(const Json& value, std::string_view pointer,
                                                 const ParamSpec& param) = 0;
  /// A body of the node, by its place below /params; nullopt where there is none that could be
  /// read.
  virtual std::optional<BodyRef> Body(std::string_view pointer) = 0;
  /// The plan that `param` (required) names becomes the node's only body: its schema. Nullptr when
  /// it cannot be called.
  virtual std::shared_ptr<const Schema> CalledPlan(std::string_view param) = 0;
  /// A literal whole number.
  virtual std::optional<std::int64_t> Count(std::string_view param, std::int64_t low,
                                            std::int64_t high, std::int64_t otherwise) = 0;

  /// Rough cost in nanoseconds a row of an expression that was read, for CpuTask::cost.
  virtual double CostPerRow(ExpressionSlot) const { return 10; }

  /// Records a problem; `pointer` is relative to /params ("" is the params object itself).
  virtual void Problem(std::string_view pointer, std::string message) = 0;
  /// The plan's requests must carry a user_id.
  virtual void NeedUserId() = 0;
};

/// For `rankd tasks` and for telling which params there are.
struct ParamDoc {
  std::string_view name;
  std::string_view type;  ///< "int or {expr}", "key", "endpoint", …
  bool required = false;
  std::string_view otherwise;  ///< The default, as JSON text; empty for none.
  std::string_view doc;
};

inline constexpr std::size_t kAnyNumberOfInputs = std::numeric_limits<std::size_t>::max();

struct TaskSpec {
  std::string_view op;
  std::string_view doc;
  std::size_t min_inputs = 0;
  std::size_t max_inputs = 0;
  /// One more input may be named by the param `rhs`; it counts towards the inputs.
  bool takes_rhs = false;
  std::string_view kind;  ///< "io", "cpu", "inline" or "control flow": where it runs, for lists.
  std::span<const ParamDoc> params;
  /// Nullptr when problems were recorded.
  std::unique_ptr<const Task> (*make)(TaskBuilder& builder) = nullptr;
};

/// The ops there are: an explicit list of constants, without registration and without work at
/// start.
class TaskCatalog {
 public:
  /// The list outlives the catalog and its copies.
  explicit TaskCatalog(std::span<const TaskSpec* const> specs) : specs_(specs) {}
  const TaskSpec* Find(std::string_view op) const;
  std::span<const TaskSpec* const> all() const { return specs_; }

 private:
  std::span<const TaskSpec* const> specs_;
};

}  // namespace rankd
