#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/region/region.h"
#include "engine/region/specs.h"

namespace rankd {
namespace {

/// "node_timeout redis_error", "any code"
std::string CodesText(const std::optional<ErrorCodes>& codes) {
  if (!codes) return "any code";
  std::string text;
  for (std::size_t i = 0; i < codes->size(); ++i) {
    if (!codes->test(i)) continue;
    if (!text.empty()) text += " ";
    text += CodeName(static_cast<ErrorCode>(i));
  }
  return text;
}

/// Runs a body, and where it fails the first catch that is for its error.
class Try final : public Region {
 public:
  Try(std::uint32_t body, std::vector<BodyRef> catches)
      : body_(body), catches_(std::move(catches)) {}

  std::unique_ptr<RegionState> MakeState(RegionHost& host) const override {
    return std::make_unique<State>(*this, host);
  }

  RegionOutline Outline() const override {
    RegionOutline outline;
    outline.body_names.resize(catches_.size() + 1);
    outline.body_names[body_] = "body";
    for (std::size_t i = 0; i < catches_.size(); ++i) {
      const std::string name = "catch" + std::to_string(i);
      outline.details.push_back(name + ": " + CodesText(catches_[i].catch_codes));
      outline.body_names[catches_[i].body] = name;
    }
    return outline;
  }

 private:
  class State final : public FailingRegionState {
   public:
    State(const Try& region, RegionHost& host) : FailingRegionState(host), region_(region) {}

    void Start() override { host_.StartBody(BodyStart(region_.body_, Input())); }

    void OnBodyDone(std::uint64_t, RowSet rows) override { host_.Finish(std::move(rows)); }

    void OnBodyFailed(std::uint64_t, Error error) override {
      const BodyRef* clause = error_ ? nullptr : CatchFor(error.code);
      if (clause == nullptr) return Fail(std::move(error));
      error_.emplace(std::move(error));
      BodyStart start(clause->body, Input());
      start.activation = 1;
      start.error = &*error_;
      host_.StartBody(std::move(start));
    }

    /// The limit is the body's; a catch has none.
    void OnTimeout(Error error) override {
      if (error_) return;
      host_.CancelBodies();
      OnBodyFailed(0, std::move(error));
    }

   private:
    const BodyRef* CatchFor(ErrorCode code) const {
      for (const BodyRef& clause : region_.catches_) {
        if (!clause.catch_codes || clause.catch_codes->test(static_cast<std::size_t>(code))) {
          return &clause;
        }
      }
      return nullptr;
    }

    const Try& region_;
    std::optional<Error> error_;  ///< What a catch runs for.
  };

  std::uint32_t body_;
  std::vector<BodyRef> catches_;
};

std::optional<BodyRef> ReadCatch(TaskBuilder& builder, const Json& item, const std::string& at) {
  if (!item.is_object()) {
    builder.Problem(at,
                    "a catch must be an object of \"codes\" and \"body\", not " + item.Describe());
    return std::nullopt;
  }
  const Json* body = item.Find("body");
  if (body == nullptr || body->is_null()) builder.Problem(at, "a catch needs a \"body\"");
  return builder.Body(at + "/body");
}

std::unique_ptr<const Task> MakeTry(TaskBuilder& builder) {
  const std::optional<BodyRef> body = RequiredBody(builder, "try");
  const Json* list = RequiredList(builder, "try", "catch", "catch");
  bool sound = body.has_value() && list != nullptr;
  std::vector<BodyRef> catches;
  for (std::size_t i = 0; list != nullptr && i < list->items().size(); ++i) {
    std::optional<BodyRef> one = ReadCatch(builder, list->items()[i], JsonPointer("/catch", i));
    sound = sound && one.has_value();
    if (one) catches.push_back(*std::move(one));
  }
  if (!sound) return nullptr;
  return std::make_unique<Try>(body->body, std::move(catches));
}

constexpr ParamDoc kTryParams[] = {
    {"body", "body", true, "", "what is tried; timeout_ms of the node bounds it as a whole"},
    {"catch", "array of {codes, body}", true, "",
     "the first whose codes hold the error's (all errors without \"codes\") runs instead"},
};

}  // namespace

constinit const TaskSpec kTryTask = {
    .op = "try",
    .doc = "Runs a body, and another where it fails: the rows are those of one of the two.",
    .min_inputs = 0,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "control flow",
    .params = kTryParams,
    .make = MakeTry};

}  // namespace rankd
