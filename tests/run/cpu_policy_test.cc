#include "engine/run/cpu_policy.h"

#include <doctest/doctest.h>

#include "tests/run/graph_fixture.h"

namespace rankd {
namespace {

TEST_CASE("cheap work runs inline, dear work on the pool, and --cpu decides otherwise") {
  const auto body = [](const NodeContext& context) { return SumPlusOne(context.inputs); };
  const FakeCpuTask cheap(body, Placement::kByCost, kInlineNanoseconds);
  const FakeCpuTask dear(body, Placement::kByCost, kInlineNanoseconds + 1);
  const FakeCpuTask pool(body, Placement::kPool);
  const FakeCpuTask always_inline(body, Placement::kInline, 1e9);
  CHECK(RunsInline(cheap, 1, CpuMode::kAuto));
  CHECK_FALSE(RunsInline(dear, 1, CpuMode::kAuto));
  CHECK(RunsInline(dear, 1, CpuMode::kInline));
  CHECK_FALSE(RunsInline(cheap, 1, CpuMode::kOffload));
  CHECK_FALSE(RunsInline(cheap, 1, CpuMode::kFused));
  for (const CpuMode mode :
       {CpuMode::kAuto, CpuMode::kInline, CpuMode::kOffload, CpuMode::kFused}) {
    CHECK_FALSE(RunsInline(pool, 1, mode));
    CHECK(RunsInline(always_inline, 1, mode));
  }
}

}  // namespace
}  // namespace rankd
