#include "cli/flight.h"

#include <new>
#include <utility>

#include "engine/graph/graph.h"
#include "engine/run/trace_json.h"
#include "engine/wire/response.h"

namespace rankd {
namespace {

/// False, with `out` as it was, where there is no memory for the answer.
bool AppendIfItFits(std::string& out, const Request& request, std::span<const RowSet> outputs,
                    const ResponseTrace* trace) {
  const std::size_t before = out.size();
  try {
    AppendSuccess(out, request, outputs, trace);
  } catch (const std::bad_alloc&) {
    out.resize(before);
    if (before == 0) std::string().swap(out);
    return false;
  }
  return true;
}

}  // namespace

RunSpec Flight::TakeSpec(const RunDefaults& defaults) {
  RunSpec spec;
  // PlanLookup gives Graphs; the wire layer knows only their interface.
  spec.graph = std::static_pointer_cast<const Graph>(request.plan);
  spec.params = std::move(request.params);
  spec.user_id = request.user_id.value_or(0);
  spec.cpu = request.cpu.value_or(defaults.cpu);
  spec.deadline = request.deadline ? request.deadline : defaults.deadline;
  spec.node_timeout = request.node_timeout ? request.node_timeout : defaults.node_timeout;
  spec.trace = request.trace;
  return spec;
}

void Flight::AppendAnswer(std::string& out, Result<std::span<const RowSet>>& outputs,
                          std::string& scratch) const {
  ResponseTrace response_trace;
  if (request.trace) {
    scratch.clear();
    AppendTraceJson(scratch, trace());
    response_trace = {scratch, trace().answered - trace().start};
  }
  const ResponseTrace* wanted = request.trace ? &response_trace : nullptr;
  if (outputs && !AppendIfItFits(out, request, *outputs, wanted)) {
    outputs = rankd::Fail(ErrorCode::kLimitExceeded, "out of memory for the answer");
  }
  if (!outputs) AppendFailure(out, request.id_json, outputs.error(), wanted);
}

}  // namespace rankd
