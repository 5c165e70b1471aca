#include "engine/plan/node_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

constexpr std::size_t kLongestNodeId = 64;

constexpr std::array<std::string_view, 10> kNodeFields = {
    "node_id", "op",    "inputs",   "params",     "timeout_ms",
    "effect",  "retry", "on_error", "extensions", "source_span",
};

bool IsAsciiLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsNodeId(std::string_view id) {
  return !id.empty() && id.size() <= kLongestNodeId && std::ranges::all_of(id, [](char c) {
    return IsAsciiLetterOrDigit(c) || c == '_' || c == '.' || c == ':' || c == '-';
  });
}

void ParseId(ObjectReader& reader, PlanNode& node) {
  const std::optional<std::string_view> id = reader.String("node_id", Need::kRequired);
  if (!id) return;
  node.id = *id;  // Kept even if it is no good, so that what names it is not blamed as well.
  if (!IsNodeId(*id)) {
    reader.Problem("node_id", "the node id " + JsonQuoted(id->substr(0, 2 * kLongestNodeId)) +
                                  " must be 1 to 64 of the characters A-Z a-z 0-9 _ . : -");
  }
}

void ParseOp(ObjectReader& reader, PlanNode& node) {
  const std::optional<std::string_view> op = reader.String("op", Need::kRequired);
  if (!op) return;
  const std::string_view name = WithoutNamespace(*op);
  if (name.empty()) {
    reader.Problem("op", "\"op\" must name an op, not be empty");
  } else {
    node.op = name;
  }
}

void ParseInputs(ObjectReader& reader, const Json& json, const Place& place, PlanNode& node,
                 Problems& problems) {
  const Json* inputs = reader.Array("inputs", Need::kOptional);
  const Json* given = json.Find("inputs");
  if (inputs == nullptr) {
    node.inputs_broken = given != nullptr && !given->is_null();
    return;
  }
  const std::span<const Json> items = inputs->items();
  node.inputs.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view id = items[i].AsString().value_or(std::string_view());
    if (id.empty()) {
      const Place all(place, "inputs");
      problems.Add(Place(all, i).Pointer(),
                   "an input must be a node id, not " + items[i].Describe());
    }
    node.inputs.push_back(id);
  }
}

void ParseParams(ObjectReader& reader, const Json& json, const Place& place, PlanNode& node,
                 Problems& problems) {
  node.params = reader.Object("params");
  if (node.params == nullptr) {
    const Json* given = json.Find("params");
    node.params_broken = given != nullptr && !given->is_null();
    return;
  }
  const Place params(place, "params");
  ObjectReader params_reader(*node.params, params, problems);
  node.trace = params_reader.String("trace", Need::kOptional).value_or(std::string_view());
}

void ParseFailurePolicy(const ObjectReader& reader, const Place& place, PlanNode& node,
                        Problems& problems) {
  if (const Json* retry = reader.Find("retry")) {
    node.retry = ParseRetry(*retry, Place(place, "retry"), problems);
  }
  if (const Json* on_error = reader.Find("on_error")) {
    node.on_error = ParseOnError(*on_error, Place(place, "on_error"), problems);
  }
}

}  // namespace

std::string_view WithoutNamespace(std::string_view op) {
  const std::size_t colons = op.find("::");
  if (colons == 0 || colons == std::string_view::npos || colons + 2 == op.size()) return op;
  const std::string_view space = op.substr(0, colons);
  const bool is_identifier =
      std::ranges::all_of(space, [](char c) { return IsAsciiLetterOrDigit(c) || c == '_'; });
  return is_identifier ? op.substr(colons + 2) : op;
}

PlanNode ParseNode(const Json& json, const Place& place, const BodyScope& scope) {
  Problems& problems = scope.problems;
  PlanNode node;
  ObjectReader reader(json, place, problems);
  reader.RefuseOthers(kNodeFields);
  ParseId(reader, node);
  ParseOp(reader, node);
  ParseInputs(reader, json, place, node, problems);
  ParseParams(reader, json, place, node, problems);
  if (IsControlFlowOp(node.op)) ParseBodies(Place(place, "params"), scope, node);
  node.timeout_ms = reader.Int("timeout_ms", 0, kMaxWhole);
  node.effect = reader.Bool("effect").value_or(false);
  ParseFailurePolicy(reader, place, node, problems);
  scope.capabilities.CheckExtensions(reader.Find("extensions"), Place(place, "extensions"),
                                     problems);
  return node;
}

}  // namespace rankd
