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

/// Runs the body of the first case that holds.
class Branch final : public Region {
 public:
  struct Case {
    ExpressionSlot when;
    std::uint32_t body;
    std::string text;  ///< The condition, to be told of.
  };
  Branch(std::vector<Case> cases, std::optional<std::uint32_t> otherwise)
      : cases_(std::move(cases)), otherwise_(otherwise) {}

  std::unique_ptr<RegionState> MakeState(RegionHost& host) const override {
    return std::make_unique<State>(*this, host);
  }

  RegionOutline Outline() const override {
    RegionOutline outline;
    outline.may_skip = !otherwise_;
    outline.body_names.resize(cases_.size() + (otherwise_ ? 1 : 0));
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const std::string name = "case" + std::to_string(i);
      outline.details.push_back(name + ": " + cases_[i].text);
      outline.body_names[cases_[i].body] = name;
    }
    if (otherwise_) outline.body_names[*otherwise_] = "else";
    return outline;
  }

 private:
  class State final : public FailingRegionState {
   public:
    State(const Branch& branch, RegionHost& host) : FailingRegionState(host), branch_(branch) {}

    void Start() override {
      Result<std::optional<std::uint32_t>> body = Choose();
      if (!body) return Fail(std::move(body).error());
      if (!*body) return host_.Finish(Input());
      host_.StartBody(BodyStart(**body, Input()));
    }
    void OnBodyDone(std::uint64_t, RowSet rows) override { host_.Finish(std::move(rows)); }

   private:
    Result<std::optional<std::uint32_t>> Choose() {
      for (const Case& one : branch_.cases_) {
        RANKD_TRY(const bool holds, host_.Holds(one.when, Input(), 0));
        if (holds) return one.body;
      }
      return branch_.otherwise_;
    }

    const Branch& branch_;
  };

  std::vector<Case> cases_;
  std::optional<std::uint32_t> otherwise_;  ///< Without it the input passes through.
};

std::optional<Branch::Case> ReadCase(TaskBuilder& builder, const Json& item,
                                     const std::string& at) {
  if (!item.is_object()) {
    builder.Problem(at,
                    "a case must be an object of \"when\" and \"body\", not " + item.Describe());
    return std::nullopt;
  }
  const Json* when = item.Find("when");
  std::optional<ExpressionSlot> condition;
  if (when == nullptr || when->is_null()) {
    builder.Problem(at, "a case needs \"when\", a condition");
  } else {
    condition = builder.Condition(*when, at + "/when", false);
  }
  const Json* json = item.Find("body");
  if (json == nullptr || json->is_null()) builder.Problem(at, "a case needs a \"body\"");
  const std::optional<BodyRef> body = builder.Body(at + "/body");
  if (!condition || !body) return std::nullopt;
  return Branch::Case{*condition, body->body, ExpressionText(*when)};
}

std::unique_ptr<const Task> MakeBranch(TaskBuilder& builder) {
  const Json* list = RequiredList(builder, "branch", "cases", "case");
  std::vector<Branch::Case> cases;
  bool sound = list != nullptr;
  for (std::size_t i = 0; list != nullptr && i < list->items().size(); ++i) {
    std::optional<Branch::Case> one = ReadCase(builder, list->items()[i], JsonPointer("/cases", i));
    sound = sound && one.has_value();
    if (one) cases.push_back(*std::move(one));
  }
  std::optional<std::uint32_t> otherwise;
  if (builder.Find("else") != nullptr) {
    const std::optional<BodyRef> body = builder.Body("/else");
    sound = sound && body.has_value();
    if (body) otherwise = body->body;
  }
  if (!sound) return nullptr;
  return std::make_unique<Branch>(std::move(cases), otherwise);
}

constexpr ParamDoc kBranchParams[] = {
    {"cases", "array of {when, body}", true, "",
     "the first whose scalar condition holds over the input runs"},
    {"else", "body", false, "", "runs where no case holds; without it the input passes through"},
};

}  // namespace

constinit const TaskSpec kBranchTask = {
    .op = "branch",
    .doc = "Runs one of several bodies, chosen by conditions over the input as a whole.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "control flow",
    .params = kBranchParams,
    .make = MakeBranch};

}  // namespace rankd
