// A request stream: split as a naive splitter splits it, however it is cut; each text parsed, and
// answered with one line of JSON.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/wire/request.h"
#include "engine/wire/response.h"
#include "engine/wire/splitter.h"
#include "tests/fuzz/fuzz.h"
#include "tests/wire/naive_splitter.h"

namespace rankd::fuzz {
namespace {

std::vector<Piece> Split(std::string_view stream, std::size_t limit, std::size_t largest_chunk,
                         std::mt19937& random) {
  RequestSplitter splitter(limit);
  std::vector<Piece> pieces;
  const auto drain = [&] {
    while (const std::optional<RequestText> text = splitter.Next()) {
      pieces.push_back({text->status, std::string(text->bytes), text->first_line});
    }
  };
  while (!stream.empty()) {
    // A copy of its own for each chunk, so that a sanitizer sees views that outlive it.
    const std::string chunk(stream.substr(0, 1 + random() % largest_chunk));
    stream.remove_prefix(chunk.size());
    splitter.Feed(chunk);
    drain();
  }
  splitter.FinishInput();
  drain();
  return pieces;
}

std::shared_ptr<PlanInterface> MakePlan(std::string name, bool needs_user_id) {
  auto schema = std::make_shared<Schema>();
  const auto key = [&](std::string key_name, ValueType type, EntryStatus status) {
    KeySpec spec;
    spec.name = std::move(key_name);
    spec.type = type;
    spec.status = status;
    schema->AddKey(std::move(spec));
  };
  key("score", ValueType::kFloat, EntryStatus::kActive);
  key("old_key", ValueType::kInt, EntryStatus::kDeprecated);
  key("gone_key", ValueType::kInt, EntryStatus::kBlocked);
  const auto param = [&](std::string param_name, ValueType type, bool nullable) {
    ParamSpec spec;
    spec.name = std::move(param_name);
    spec.type = type;
    spec.nullable = nullable;
    schema->AddParam(std::move(spec));
  };
  param("limit", ValueType::kInt, true);
  param("weight", ValueType::kFloat, true);
  param("flag", ValueType::kBool, true);
  param("pattern", ValueType::kString, true);
  param("cutoff", ValueType::kFloat, false);
  auto plan = std::make_shared<PlanInterface>();
  plan->name = std::move(name);
  plan->needs_user_id = needs_user_id;
  for (const char* name_of_key : {"gone_key", "old_key", "score"}) {
    plan->alphabetical_keys.push_back(*schema->FindKey(name_of_key));
  }
  plan->schema = std::move(schema);
  return plan;
}

/// A plan that is the default, and one that needs a user.
struct PlanPair {
  std::shared_ptr<const PlanInterface> free = MakePlan("free", false);
  std::shared_ptr<const PlanInterface> viewer = MakePlan("viewer", true);
  ParamValues defaults{*free->schema};

  Result<PlanForRequest> Lookup(std::string_view name) const {
    if (name.empty() || name == "free") return PlanForRequest{free, &defaults};
    if (name == "viewer") return PlanForRequest{viewer, &defaults};
    return Fail(ErrorCode::kUnknownPlan, "no plan " + std::string(name));
  }
};

/// One line, one JSON object, with the id that the request has.
void RequireAnswer(const std::string& line, const std::string& id_json) {
  Require(std::ranges::count(line, '\n') == 1 && line.back() == '\n', "not one line: " + line);
  const Result<JsonDocument> answer = ParseJson(line);
  Require(answer.has_value(), "an answer that is no JSON: " + line);
  Require(line.starts_with("{\"request_id\":" + id_json + ","), "another id: " + line);
}

void RequireSound(const Request& request) {
  Require(request.plan != nullptr, "a request without a plan");
  Require(!request.user_id || *request.user_id > 0, "a user_id below one");
  Require(!request.plan->needs_user_id || request.user_id, "a user_id that is lacking");
  const auto is_limit = [](const std::optional<std::chrono::milliseconds>& limit) {
    return !limit || (limit->count() >= 0 && limit->count() <= kMaxMilliseconds);
  };
  Require(is_limit(request.deadline) && is_limit(request.node_timeout), "a limit out of range");
  const Schema& schema = *request.plan->schema;
  for (std::uint32_t i = 0; i < schema.param_count(); ++i) {
    const Value& value = request.params.Get(ParamId{i});
    const std::size_t type = static_cast<std::size_t>(schema.param(ParamId{i}).type);
    Require(IsNull(value) || value.index() == type + 1, "a param of another type");
  }
}

void RequireSound(const Json& root, const Result<void>& outcome, const std::string& text) {
  const bool refused = !outcome && outcome.error().code == ErrorCode::kInvalidRequest;
  Require(root.is_object() || refused, "no object, and taken: " + text);
}

void ParseOne(RequestParser& parser, const Piece& piece, Request& request) {
  const Result<void> outcome = parser.Parse(piece.bytes, piece.first_line, request);
  const Result<JsonDocument> id = ParseJson(request.id_json);
  Require(id && (id->root().is_string() || id->root().AsNumber()), "an id that is none");
  std::string line;
  if (outcome) {
    RequireSound(request);
    AppendSuccess(line, request, {});
  } else {
    AppendFailure(line, request.id_json, outcome.error());
  }
  RequireAnswer(line, request.id_json);
  if (outcome || outcome.error().code != ErrorCode::kInvalidJson) {
    // Files are read by another parser, which must not be the stricter one.
    const Result<JsonDocument> document = ParseJson(piece.bytes);
    Require(document.has_value(), "no JSON, and taken: " + piece.bytes);
    RequireSound(document->root(), outcome, piece.bytes);
  }
}

}  // namespace

void FuzzRequests(std::string_view bytes) {
  std::mt19937 random = RandomOf(bytes);
  const std::string stream(bytes);
  for (const std::size_t limit : {std::size_t{1} << 20, 1 + random() % 20}) {
    const std::vector<Piece> wanted = SplitNaively(stream, limit);
    for (const std::size_t chunk : {stream.size() + 1, std::size_t{1}, std::size_t{7}}) {
      Require(Split(stream, limit, chunk, random) == wanted, "split in another way");
    }
  }
  static const PlanPair plans;
  const auto lookup = [](std::string_view name) { return plans.Lookup(name); };
  // Used again and again, as in the program.
  static RequestParser strict({.allow_unknown_fields = false, .warn = {}}, lookup);
  static RequestParser lenient({.allow_unknown_fields = true, .warn = {}}, lookup);
  static Request request;
  for (const Piece& piece : SplitNaively(stream, std::size_t{1} << 20)) {
    if (piece.status != RequestText::Status::kComplete) continue;
    ParseOne(strict, piece, request);
    ParseOne(lenient, piece, request);
  }
}

}  // namespace rankd::fuzz
