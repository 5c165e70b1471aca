#include "tasks/builtin.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/region/specs.h"
#include "tasks/specs.h"

namespace rankd {

TaskCatalog BuiltinTasks() {
  std::vector<TaskSpec> specs{
      AggregateSpec(), BusyCpuSpec(), ConcatSpec(),         DedupeSpec(),
      FeaturesSpec(),  FilterSpec(),  FixedSourceSpec(),    FollowSpec(),
      JoinSpec(),      MediaSpec(),   RecommendationSpec(), SleepSpec(),
      SortSpec(),      TakeSpec(),    ViewerSpec(),         VmSpec(),
  };
  std::ranges::move(RegionSpecs(), std::back_inserter(specs));
  std::ranges::sort(specs, {}, &TaskSpec::op);
  return TaskCatalog(std::move(specs));
}

}  // namespace rankd
