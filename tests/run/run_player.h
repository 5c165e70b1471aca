// Plays scripts on a Run over a fake loop, and says where it differs from what must come of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "tests/run/graph_fixture.h"
#include "tests/run/run_script.h"
#include "tests/support/fake_loop.h"

namespace rankd {

/// A pool with a thread for each job, which takes as long as its node's script says; a chain's
/// takes as long as its nodes' one after the other.
class ScriptedPool final : public Executor {
 public:
  explicit ScriptedPool(FakeLoop& loop);
  ~ScriptedPool() override;

  /// For the jobs to come; no job may be at work. Referenced.
  void Follow(const RunScript& script);
  void Submit(PoolJob& job) override;
  bool busy() const;
  /// Within a chain's job: lets so much of the loop's time pass. Elsewhere nothing.
  static void PauseInChain(int ms);

 private:
  class Thread;
  class ChainThread;
  FakeLoop& loop_;
  const RunScript* script_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::unique_ptr<ChainThread>> chain_threads_;
  static thread_local ChainThread* current_chain_;
};

class RunPlayer {
 public:
  RunPlayer() = default;
  RunPlayer(const RunPlayer&) = delete;
  RunPlayer& operator=(const RunPlayer&) = delete;

  /// Empty when all was as Simulate says: the outcome and its time, each node begun once and none
  /// too many, nothing left behind. One Run, used again and again, plays all scripts.
  std::string Play(const RunScript& script);

 private:
  std::string PlayOn(std::shared_ptr<Graph> graph, const RunScript& script, const Outcome& wanted);
  std::string CompareAnswer(const Outcome& wanted, TimePoint start) const;
  std::string CompareBegun(const Outcome& wanted) const;

  FakeLoop loop_;
  ScriptedPool pool_{loop_};
  RecordingListener listener_;
  Run run_{RunServices{&loop_, &pool_, {}}, listener_};
  std::vector<int> begun_;  ///< Per node: how often.
};

}  // namespace rankd
