#include "engine/plan/body_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/plan/node_parser.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, 2> kBodyFields = {"nodes", "outputs"};
constexpr std::array<std::string_view, 2> kCaseFields = {"when", "body"};
constexpr std::array<std::string_view, 2> kCatchFields = {"codes", "body"};
constexpr std::string_view kDefaultLoopVariable = "i";

void ParseNodes(ObjectReader& reader, const Place& place, const BodyScope& scope, PlanBody& body) {
  const Json* nodes = reader.Array("nodes", Need::kRequired);
  if (nodes == nullptr) return;
  const std::span<const Json> items = nodes->items();
  if (items.empty() && scope.depth == 0) reader.Problem("nodes", "a plan needs at least one node");
  if (items.size() > kMaxNodes) {
    reader.Problem("nodes", "a plan may have 1000000 nodes, not " + std::to_string(items.size()));
    return;
  }
  const Place all(place, "nodes");
  body.nodes.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Place here(all, i);
    if (!items[i].is_object()) {
      scope.problems.Add(here.Pointer(), "a node must be an object, not " + items[i].Describe());
      continue;
    }
    body.nodes.push_back(ParseNode(items[i], here, scope));
    body.nodes.back().index = i;
  }
}

void ParseOutputs(ObjectReader& reader, const Place& place, const BodyScope& scope,
                  PlanBody& body) {
  const Json* outputs = reader.Array("outputs", Need::kRequired);
  if (outputs == nullptr) return;
  const std::span<const Json> items = outputs->items();
  if (items.empty()) {
    reader.Problem("outputs", std::string(scope.depth == 0 ? "a plan" : "a body") +
                                  " needs at least one output");
  }
  const Place all(place, "outputs");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view id = items[i].AsString().value_or(std::string_view());
    if (id.empty()) {
      scope.problems.Add(Place(all, i).Pointer(),
                         "an output must be a node id, not " + items[i].Describe());
      continue;
    }
    body.outputs.push_back(id);
    body.output_indices.push_back(i);
  }
}

/// Adds the body `json` to those of `node`, and gives it; nullptr when it is none.
PlanBody* AddBody(const Json& json, const Place& place, const BodyScope& scope, PlanNode& node) {
  if (!json.is_object()) {
    scope.problems.Add(
        place.Pointer(),
        "a body must be an object of \"nodes\" and \"outputs\", not " + json.Describe());
    return nullptr;
  }
  if (scope.depth == kMaxBodyDepth) {
    scope.problems.Add(place.Pointer(), "bodies may stand " + std::to_string(kMaxBodyDepth) +
                                            " deep in each other, not more");
    return nullptr;
  }
  PlanBody& body = node.bodies.emplace_back();
  body.pointer = place.Pointer();
  const BodyScope inside{scope.capabilities, scope.problems, scope.depth + 1};
  ObjectReader reader(json, place, scope.problems);
  reader.RefuseOthers(kBodyFields);
  ParseNodesAndOutputs(reader, place, inside, body);
  return &body;
}

PlanBody* AddBodyAt(const Json& object, std::string_view field, const Place& place,
                    const BodyScope& scope, PlanNode& node) {
  const Json* json = object.Find(field);
  if (json == nullptr || json->is_null()) return nullptr;
  return AddBody(*json, Place(place, field), scope, node);
}

/// The bodies of the objects in the list `field`; `found` is called with each object that has one.
template <typename Found>
void AddListed(std::string_view field, std::span<const std::string_view> known, const Place& params,
               const BodyScope& scope, PlanNode& node, Found&& found) {
  const Json* list = node.params->Find(field);
  if (list == nullptr || !list->is_array()) return;
  const Place all(params, field);
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    const Json& item = list->items()[i];
    if (!item.is_object()) continue;
    const Place here(all, i);
    ObjectReader reader(item, here, scope.problems);
    reader.RefuseOthers(known);
    PlanBody* body = AddBodyAt(item, "body", here, scope, node);
    if (body != nullptr) found(reader, here, *body);
  }
}

bool IsIdentifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void ParseRepeated(const Place& params, const BodyScope& scope, bool is_loop, PlanNode& node) {
  ObjectReader reader(*node.params, params, scope.problems);
  std::string_view name = reader.String("as", Need::kOptional).value_or(kDefaultLoopVariable);
  if (!IsIdentifier(name)) {
    reader.Problem("as", "the loop variable " + JsonQuoted(name) +
                             " must be a name of the characters A-Z a-z 0-9 _, not beginning with "
                             "a digit");
    name = kDefaultLoopVariable;
  }
  // Before the body is read, which may hold others: references into `bodies` do not last.
  if (PlanBody* body = AddBodyAt(*node.params, "body", params, scope, node)) {
    body->loop_variable = name;
    body->has_carry = is_loop;
  }
}

void ParseTry(const Place& params, const BodyScope& scope, PlanNode& node) {
  AddBodyAt(*node.params, "body", params, scope, node);
  AddListed("catch", kCatchFields, params, scope, node,
            [&](ObjectReader& reader, const Place& here, PlanBody& body) {
              body.has_error = true;
              if (const Json* codes = reader.Array("codes", Need::kOptional)) {
                body.catch_codes = ParseErrorCodes(*codes, Place(here, "codes"), scope.problems);
              }
            });
}

}  // namespace

void ParseNodesAndOutputs(ObjectReader& reader, const Place& place, const BodyScope& scope,
                          PlanBody& body) {
  ParseNodes(reader, place, scope, body);
  ParseOutputs(reader, place, scope, body);
}

bool IsControlFlowOp(std::string_view op) {
  constexpr std::array<std::string_view, 5> kOps = {"branch", "for_each", "loop", "try", "call"};
  return std::ranges::find(kOps, op) != kOps.end();
}

void ParseBodies(const Place& params, const BodyScope& scope, PlanNode& node) {
  if (node.params == nullptr) return;
  if (node.op == "branch") {
    AddListed("cases", kCaseFields, params, scope, node,
              [](ObjectReader&, const Place&, PlanBody&) {});
    AddBodyAt(*node.params, "else", params, scope, node);
  } else if (node.op == "for_each" || node.op == "loop") {
    ParseRepeated(params, scope, node.op == "loop", node);
  } else if (node.op == "try") {
    ParseTry(params, scope, node);
  }
}

}  // namespace rankd
