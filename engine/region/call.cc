#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/suggest.h"
#include "engine/region/region.h"
#include "engine/region/specs.h"

namespace rankd {
namespace {

/// Runs another plan, which is its only body.
class Call final : public Region {
 public:
  struct Argument {
    ParamId param;
    ExpressionSlot value;
  };
  Call(std::string_view plan, std::shared_ptr<const Schema> callee, std::vector<Argument> arguments)
      : plan_(plan), callee_(std::move(callee)), arguments_(std::move(arguments)) {}

  std::unique_ptr<RegionState> MakeState(RegionHost& host) const override {
    return std::make_unique<State>(*this, host);
  }

  RegionOutline Outline() const override {
    RegionOutline outline;
    outline.calls = true;
    outline.details.push_back("plan " + plan_);
    outline.body_names.resize(1);
    return outline;
  }

 private:
  class State final : public FailingRegionState {
   public:
    State(const Call& call, RegionHost& host)
        : FailingRegionState(host), call_(call), params_(*call.callee_) {}

    void Start() override {
      if (Result<void> set = SetParams(); !set) return Fail(std::move(set).error());
      BodyStart start(0, Input());
      start.params = &params_;
      host_.StartBody(std::move(start));
    }
    void OnBodyDone(std::uint64_t, RowSet rows) override { host_.Finish(std::move(rows)); }

   private:
    Result<void> SetParams() {
      const NodeContext& context = host_.context();
      const RowSet input = Input();
      for (const Argument& argument : call_.arguments_) {
        RANKD_TRY(Value value,
                  context.expression(argument.value).EvaluateScalar(input, context.stop));
        const ParamSpec& spec = call_.callee_->param(argument.param);
        if (IsNull(value) && !spec.nullable) {
          return rankd::Fail(
              ErrorCode::kInvalidParam,
              "the argument \"" + spec.name + "\" is null, which the param may not be");
        }
        params_.Set(argument.param, std::move(value));
      }
      return {};
    }

    const Call& call_;
    ParamValues params_;
  };

  std::string plan_;
  std::shared_ptr<const Schema> callee_;
  std::vector<Argument> arguments_;
};

std::optional<Call::Argument> ReadArgument(TaskBuilder& builder, const JsonField& field,
                                           const Schema& callee) {
  const std::string at = JsonPointer("/args", field.name);
  std::optional<ParamId> param = callee.FindParam(field.name);
  if (const std::optional<std::int64_t> registry_id = ParseInt(field.name); !param && registry_id) {
    param = callee.FindParam(*registry_id);
  }
  if (!param) {
    builder.Problem(at, "the called plan has no param \"" + std::string(field.name) + "\"" +
                            DidYouMean(field.name, callee.ParamNames()));
    return std::nullopt;
  }
  const std::optional<ExpressionSlot> value =
      builder.Argument(field.value, at, callee.param(*param));
  if (!value) return std::nullopt;
  return Call::Argument{*param, *value};
}

std::unique_ptr<const Task> MakeCall(TaskBuilder& builder) {
  const Json* args = builder.Find("args");
  bool sound = args == nullptr || args->is_object();
  if (!sound) {
    builder.Problem("/args", "\"args\" must be an object from params to scalar expressions, not " +
                                 args->Describe());
  }
  std::shared_ptr<const Schema> callee = builder.CalledPlan("plan");
  if (callee == nullptr) return nullptr;
  std::vector<Call::Argument> arguments;
  if (sound && args != nullptr) {
    for (const JsonField& field : args->fields()) {
      if (field.value.is_null()) continue;
      const std::optional<Call::Argument> one = ReadArgument(builder, field, *callee);
      sound = sound && one.has_value();
      if (!one) continue;
      if (std::ranges::find(arguments, one->param, &Call::Argument::param) != arguments.end()) {
        builder.Problem(JsonPointer("/args", field.name),
                        "the param \"" + callee->param(one->param).name + "\" stands twice");
        sound = false;
      }
      arguments.push_back(*one);
    }
  }
  if (!sound) return nullptr;
  const std::string_view plan = builder.Find("plan")->AsString().value_or(std::string_view());
  return std::make_unique<Call>(plan, std::move(callee), std::move(arguments));
}

constexpr ParamDoc kCallParams[] = {
    {"plan", "plan name", true, "", "a plan of the plan directory; its $in is the input"},
    {"args", "object from params to scalar expressions", false, "",
     "values of its params; the request's do not reach it"},
};

}  // namespace

constinit const TaskSpec kCallTask = {.op = "call",
                                      .doc = "Runs another plan over the input.",
                                      .min_inputs = 0,
                                      .max_inputs = 1,
                                      .takes_rhs = false,
                                      .kind = "control flow",
                                      .params = kCallParams,
                                      .make = MakeCall};

}  // namespace rankd
