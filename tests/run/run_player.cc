#include "tests/run/run_player.h"

#include <algorithm>
#include <semaphore>
#include <thread>
#include <utility>

#include "engine/run/active_node.h"

namespace rankd {
namespace {

using std::chrono::milliseconds;

class ScriptedAsyncTask final : public AsyncTask {
 public:
  ScriptedAsyncTask(const NodeScript& does, int& begun)
      : task_(milliseconds(does.delay), does.failure), begun_(begun) {}
  KeySet OutputKeys(std::span<const KeySet>) const override { return {}; }
  Co<Result<RowSet>> Run(const AsyncContext& context) const override {
    ++begun_;
    return task_.Run(context);
  }

 private:
  FakeAsyncTask task_;
  int& begun_;
};

std::unique_ptr<const Task> TaskOf(const NodeScript& does, int& begun) {
  if (does.place == NodeScript::Place::kLoop)
    return std::make_unique<ScriptedAsyncTask>(does, begun);
  const auto body = [failure = does.failure, delay = does.delay,
                     &begun](const NodeContext& context) -> Result<RowSet> {
    ScriptedPool::PauseInChain(delay);
    ++begun;
    if (failure) return Fail(*failure, "told to fail");
    return SumPlusOne(context.inputs);
  };
  return std::make_unique<FakeCpuTask>(
      body, does.place == NodeScript::Place::kPool ? Placement::kPool : Placement::kByCost);
}

class Canceller final : public Timer {
 public:
  explicit Canceller(Run& run) : run_(run) {}
  void OnTimer() override { run_.Cancel(Error(ErrorCode::kCancelled, "told to stop")); }

 private:
  Run& run_;
};

}  // namespace

class ScriptedPool::Thread final : public Timer {
 public:
  explicit Thread(PoolJob& job) : job_(job) {}
  void OnTimer() override { job_.Execute(0); }

 private:
  PoolJob& job_;
};

/// A thread that runs only while the loop's waits for it: a job in which time passes several times.
class ScriptedPool::ChainThread final : public Timer {
 public:
  ChainThread(PoolJob& job, FakeLoop& loop) : loop_(loop), thread_([this, &job] { Main(job); }) {
    OnTimer();
  }
  ~ChainThread() override { thread_.join(); }
  /// Lets it run until it pauses or ends.
  void OnTimer() override {
    go_.release();
    stands_.acquire();
    if (!ended_) loop_.Arm(*this, loop_.Now() + milliseconds(pause_ms_));
  }
  void Pause(int ms) {
    pause_ms_ = ms;
    stands_.release();
    go_.acquire();
  }

 private:
  void Main(PoolJob& job) {
    go_.acquire();
    current_chain_ = this;
    job.Execute(0);
    ended_ = true;
    stands_.release();
  }

  FakeLoop& loop_;
  std::binary_semaphore go_{0};
  std::binary_semaphore stands_{0};
  int pause_ms_ = 0;
  bool ended_ = false;
  std::thread thread_;
};

thread_local ScriptedPool::ChainThread* ScriptedPool::current_chain_ = nullptr;

void ScriptedPool::PauseInChain(int ms) {
  if (current_chain_ != nullptr && ms > 0) current_chain_->Pause(ms);
}

ScriptedPool::ScriptedPool(FakeLoop& loop) : loop_(loop) {}
ScriptedPool::~ScriptedPool() = default;

void ScriptedPool::Follow(const RunScript& script) {
  threads_.clear();
  chain_threads_.clear();
  script_ = &script;
}

void ScriptedPool::Submit(PoolJob& job) {
  const auto& active = static_cast<const ActiveNode&>(job);
  if (!active.chain.empty()) {
    chain_threads_.push_back(std::make_unique<ChainThread>(job, loop_));
    return;
  }
  const NodeId node = active.node();
  threads_.push_back(std::make_unique<Thread>(job));
  loop_.Arm(*threads_.back(), loop_.Now() + milliseconds(script_->nodes[Index(node)].delay));
}

bool ScriptedPool::busy() const {
  const auto armed = [](const auto& thread) { return thread->armed(); };
  return std::ranges::any_of(threads_, armed) || std::ranges::any_of(chain_threads_, armed);
}

std::string RunPlayer::CompareAnswer(const Outcome& wanted, TimePoint start) const {
  if (loop_.Now() - start != milliseconds(wanted.at)) {
    return "answers at " + std::to_string((loop_.Now() - start) / milliseconds(1)) + ", not " +
           std::to_string(wanted.at);
  }
  const auto& error = listener_.error;
  if (error.has_value() != wanted.error.has_value()) {
    return error ? "fails: " + error->message : "succeeds";
  }
  if (!error) return listener_.ids == wanted.output_ids ? "" : "answers with other rows";
  if (wanted.failing.empty()) {
    if (!error->node.empty()) return "blames a node";
    return error->code == *wanted.error ? "" : "fails as " + std::string(CodeName(error->code));
  }
  const bool blamed = std::ranges::any_of(
      wanted.failing, [&](std::size_t node) { return error->node == 'n' + std::to_string(node); });
  return blamed ? "" : "blames " + error->node;
}

std::string RunPlayer::CompareBegun(const Outcome& wanted) const {
  for (std::size_t node = 0; node < begun_.size(); ++node) {
    const Outcome::Begins begins = wanted.begins[node];
    const int least = begins == Outcome::Begins::kOnce ? 1 : 0;
    const int most = begins == Outcome::Begins::kNot ? 0 : 1;
    if (begun_[node] < least || begun_[node] > most) {
      return 'n' + std::to_string(node) + " begins " + std::to_string(begun_[node]) + " times";
    }
  }
  return "";
}

std::string RunPlayer::PlayOn(std::shared_ptr<Graph> graph, const RunScript& script,
                              const Outcome& wanted) {
  const int answers_before = listener_.answers;
  const int idles_before = listener_.idles;
  const TimePoint start = loop_.Now();
  Canceller canceller(run_);
  if (script.cancelled_at > 0) loop_.Arm(canceller, start + milliseconds(script.cancelled_at));
  RunSpec spec;
  spec.graph = graph;
  spec.cpu = script.cpu;
  if (script.deadline > 0) spec.deadline = milliseconds(script.deadline);
  if (script.node_timeout > 0) spec.node_timeout = milliseconds(script.node_timeout);
  run_.Start(std::move(spec));
  loop_.Turn();
  while (listener_.answers == answers_before) {
    if (!loop_.AdvanceToNextTimer()) return "hangs before it answers";
  }
  if (std::string difference = CompareAnswer(wanted, start); !difference.empty()) return difference;
  canceller.Disarm();
  while (!run_.idle()) {
    if (!pool_.busy()) return "waits for something besides the pool";
    if (!loop_.AdvanceToNextTimer()) return "hangs after it has answered";
  }
  if (listener_.answers != answers_before + 1) return "answers twice";
  if (listener_.idles != idles_before + 1) return "is not idle once";
  if (loop_.armed_timers() > 0 || loop_.has_posted()) return "leaves something to do";
  if (graph.use_count() != 1) return "keeps the graph";
  return CompareBegun(wanted);
}

std::string RunPlayer::Play(const RunScript& script) {
  begun_.assign(script.nodes.size(), 0);
  std::vector<std::unique_ptr<const Task>> tasks;
  for (std::size_t node = 0; node < script.nodes.size(); ++node) {
    tasks.push_back(TaskOf(script.nodes[node], begun_[node]));
  }
  auto graph = MakeGraph(script.inputs, std::move(tasks));
  for (std::size_t node = 0; node < script.nodes.size(); ++node) {
    if (script.nodes[node].timeout)
      graph->nodes[node].timeout = milliseconds(*script.nodes[node].timeout);
  }
  pool_.Follow(script);
  const std::string difference = PlayOn(std::move(graph), script, Simulate(script));
  return difference.empty() ? "" : difference + "\n" + script.ToText();
}

}  // namespace rankd
