// One request, parsed and resolved against the plan it names.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cpu_mode.h"
#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/data/schema.h"
#include "engine/plan/plan_interface.h"

namespace rankd {

/// Limits that requests and flags may give: whole numbers from 0 up to this.
inline constexpr std::int64_t kMaxMilliseconds = std::int64_t{1} << 53;

struct Request {
  std::string id_json;  ///< request_id as JSON text: `"abc"` or `7`.
  std::shared_ptr<const PlanInterface> plan;
  std::optional<std::int64_t> user_id;
  ParamValues params;
  /// Keys to return, in alphabetical order, without `id`; nullopt: all the rows carry.
  std::optional<std::vector<KeyId>> output_keys;
  /// 0: none. Up to kMaxMilliseconds, which nanoseconds cannot hold.
  std::optional<std::chrono::milliseconds> deadline;
  std::optional<std::chrono::milliseconds> node_timeout;
  std::optional<CpuMode> cpu;
  bool trace = false;  ///< The response is to carry a trace.
};

/// What the flags say about requests.
struct RequestOptions {
  bool allow_unknown_fields = false;
  /// Told once of each deprecated key or param that requests name. May be empty.
  std::function<void(std::string_view note)> warn;
};

/// Gives the plan for a name (empty: the flags' default) with the defaults of its params.
struct PlanForRequest {
  std::shared_ptr<const PlanInterface> plan;
  const ParamValues* defaults = nullptr;  ///< Schema defaults with --param applied.
};
using PlanLookup = std::function<Result<PlanForRequest>(std::string_view plan_name)>;

/// A parser keeps its buffers between requests. One thread.
class RequestParser {
 public:
  RequestParser(RequestOptions options, PlanLookup lookup);
  ~RequestParser();

  /// Parses one request; one that was used before keeps its memory. Always sets `request.id_json`
  /// (`"line:N"` where the text has none that can be read), so that an error can be answered.
  /// Errors, the first of these that applies: invalid_json; invalid_request for what is wrong
  /// whatever the plan; unknown_plan and what else the lookup says; invalid_request for what this
  /// plan needs or lacks; invalid_param. request_too_large for a text over 4 GiB,
  /// limit_exceeded where there is no memory.
  [[nodiscard]] Result<void> Parse(std::string_view text, std::uint64_t first_line,
                                   Request& request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rankd
