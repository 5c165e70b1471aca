// A run with all it needs, in steps: a loop with a virtual clock, an executor that waits to be
// told.
#pragma once

#include <memory>
#include <utility>

#include "engine/run/run.h"
#include "tests/run/graph_fixture.h"
#include "tests/support/fake_executor.h"
#include "tests/support/fake_loop.h"

namespace rankd {

struct RunBench {
  FakeLoop loop;
  StepExecutor executor;
  RecordingListener listener;
  RunServices services{&loop, &executor, {}};
  Run run{services, listener};

  RunSpec Spec(std::shared_ptr<const Graph> graph) {
    RunSpec spec;
    spec.graph = std::move(graph);
    return spec;
  }
};

}  // namespace rankd
