#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/region/item_work.h"
#include "engine/region/items.h"
#include "engine/region/region.h"
#include "engine/region/specs.h"

namespace rankd {
namespace {

/// Above this a count of iterations is not told from none at all: 2^53.
constexpr std::int64_t kMaxTimes = std::int64_t{1} << 53;
constexpr std::int64_t kDefaultMaxIterations = 10'000;

/// Runs its body again and again, each time over what the last one gave, or over the next item.
class Loop final : public Region {
 public:
  struct Params {
    std::uint32_t body = 0;
    // One of the three.
    std::optional<NumberParam> times;
    std::optional<ItemCut> cut;
    std::optional<ExpressionSlot> while_condition;

    std::int64_t max_iterations = kDefaultMaxIterations;  ///< Of a while.
    std::optional<ExpressionSlot> until;
    bool concat = false;

    std::vector<std::string> details;  ///< As RegionOutline's.
  };
  explicit Loop(Params params) : params_(std::move(params)) {}

  std::unique_ptr<RegionState> MakeState(RegionHost& host) const override {
    return std::make_unique<State>(params_, host);
  }

  RegionOutline Outline() const override {
    RegionOutline outline;
    outline.shape = RegionShape::kLoop;
    outline.may_skip = true;
    outline.details = params_.details;
    outline.body_names.resize(1);
    return outline;
  }

 private:
  class State final : public FailingRegionState {
   public:
    State(const Params& params, RegionHost& host) : FailingRegionState(host), params_(params) {}

    void Start() override {
      if (params_.cut) return work_.Cut(*params_.cut, items_, host_);
      if (params_.times) {
        Result<std::int64_t> times = params_.times->Evaluate(host_.context());
        if (!times) return Fail(std::move(times).error());
        times_ = *times;
      }
      carry_ = Input();
      Continue();
    }

    void OnComputed(Result<void> done) override {
      if (!done) return Fail(std::move(done).error());
      if (concluding_) return host_.Finish(work_.TakeRows());
      times_ = static_cast<std::int64_t>(items_.count());
      Continue();
    }
    bool IsLarge() const override { return IsLargeRegion(outputs_, items_); }
    void LetGo() override {
      carry_.Drop();
      items_.LetGo();
      work_.LetGo();
    }

    void OnBodyDone(std::uint64_t, RowSet rows) override {
      carry_ = std::move(rows);
      if (params_.concat) {
        outputs_.Begin();
        outputs_.End(static_cast<std::size_t>(iteration_), carry_, host_);
      }
      const std::int64_t iteration = iteration_++;
      if (params_.until) {
        Result<bool> enough = host_.Holds(*params_.until, carry_, iteration);
        if (!enough) return Fail(std::move(enough).error());
        if (*enough) return Conclude();
      }
      Continue();
    }

   private:
    /// Begins the next iteration, or ends the loop.
    void Continue() {
      Result<bool> more = More();
      if (!more) return Fail(std::move(more).error());
      if (!*more) return Conclude();
      BodyStart start(params_.body,
                      params_.cut ? items_.At(static_cast<std::size_t>(iteration_)) : carry_);
      start.activation = static_cast<std::uint64_t>(iteration_);
      start.carry = carry_;
      start.loop_value = iteration_;
      host_.StartBody(std::move(start));
    }

    Result<bool> More() {
      if (!params_.while_condition) return iteration_ < times_;
      RANKD_TRY(const bool holds, host_.Holds(*params_.while_condition, carry_, iteration_));
      if (holds && iteration_ == params_.max_iterations) {
        return std::unexpected(Error(ErrorCode::kLimitExceeded,
                                     "\"while\" still holds after " + std::to_string(iteration_) +
                                         " iterations, which is \"max_iterations\""));
      }
      return holds;
    }

    void Conclude() {
      if (!params_.concat) return host_.Finish(std::move(carry_));
      concluding_ = true;
      work_.Join(outputs_, host_);
    }

    const Params& params_;
    Items items_;
    std::int64_t times_ = 0;
    std::int64_t iteration_ = 0;  ///< The one that runs, or comes next.
    RowSet carry_;
    ItemOutputs outputs_;
    bool concluding_ = false;
    ItemWork work_;
  };

  Params params_;
};

/// One of times, over and while; nothing of them in `params` where there is a problem.
bool ReadRepetition(TaskBuilder& builder, Loop::Params& params) {
  const Json* times = builder.Find("times");
  const Json* condition = builder.Find("while");
  const bool over = builder.Find("over") != nullptr;
  const int given = int{times != nullptr} + int{condition != nullptr} + int{over};
  if (given != 1) {
    builder.Problem("", std::string("the op \"loop\" needs one of \"times\", \"over\" and "
                                    "\"while\"") +
                            (given == 0 ? "" : ", not several"));
  }
  params.cut = ItemCut::Read(builder, false);
  if (times != nullptr) params.times = builder.Number("times", 0, kMaxTimes, std::nullopt);
  if (condition != nullptr) {
    params.while_condition = builder.Condition(*condition, "/while", true);
  }
  return given == 1 && (params.cut || params.times || params.while_condition);
}

std::vector<std::string> Details(TaskBuilder& builder, const Loop::Params& params) {
  std::vector<std::string> details;
  if (params.cut) details.push_back(params.cut->Describe());
  if (params.times) details.push_back("times " + NumberText(builder, "times", *params.times));
  if (params.while_condition) {
    details.push_back("while " + ExpressionText(*builder.Find("while")));
    details.push_back("max_iterations " + std::to_string(params.max_iterations));
  }
  if (params.until) details.push_back("until " + ExpressionText(*builder.Find("until")));
  details.emplace_back(params.concat ? "result concat" : "result last");
  return details;
}

std::unique_ptr<const Task> MakeLoop(TaskBuilder& builder) {
  Loop::Params params;
  bool sound = ReadRepetition(builder, params);
  const std::optional<BodyRef> body = RequiredBody(builder, "loop");
  if (body) params.body = body->body;
  if (const Json* until = builder.Find("until")) {
    params.until = builder.Condition(*until, "/until", true);
    sound = sound && params.until.has_value();
  }
  if (builder.Find("max_iterations") != nullptr && builder.Find("while") == nullptr) {
    builder.Problem("/max_iterations", "\"max_iterations\" goes with \"while\" only");
    sound = false;
  }
  const std::optional<std::int64_t> most =
      builder.Count("max_iterations", 0, kMaxTimes, kDefaultMaxIterations);
  if (most) params.max_iterations = *most;
  const bool over = builder.Find("over") != nullptr;
  const std::optional<std::size_t> result =
      builder.Choice("result", {"last", "concat"}, over ? 1 : 0);
  if (!sound || !body || !most || !result) return nullptr;
  params.concat = *result == 1;
  params.details = Details(builder, params);
  return std::make_unique<Loop>(std::move(params));
}

constexpr ParamDoc kLoopParams[] = {
    {"times", "int or {expr}", false, "", "how often; or give \"over\", or \"while\""},
    {"over", "\"rows\", \"chunks\" or \"groups\"", false, "", "once for each item, in order"},
    {"chunk_size", "int or {expr}", false, "", "rows of a chunk; the last may have fewer"},
    {"by", "key", false, "", "the rows with one value of it are a group; nulls are one"},
    {"while", "scalar condition", false, "", "as long as it holds over what $in would be"},
    {"max_iterations", "int", false, "10000", "beginning one more of a \"while\" is an error"},
    {"as", "name", false, "\"i\"", "the loop variable: L.i is the iteration's number, from 0"},
    {"body", "body", true, "",
     "$in is the item, else the last iteration's rows, at first the input; $carry is always the "
     "last iteration's rows"},
    {"until", "scalar condition", false, "", "ends the loop once it holds over the body's rows"},
    {"result", "\"last\" or \"concat\"", false, "",
     "the last iteration's rows, or those of all; concat with \"over\", else last"},
};

}  // namespace

constinit const TaskSpec kLoopTask = {
    .op = "loop",
    .doc = "Runs a body again and again: so many times, for each item, or while it holds.",
    .min_inputs = 1,
    .max_inputs = 1,
    .takes_rhs = false,
    .kind = "control flow",
    .params = kLoopParams,
    .make = MakeLoop};

}  // namespace rankd
