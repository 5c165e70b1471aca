#include "tasks/builtin.h"

#include <vector>

#include "tasks/specs.h"

namespace rankd {

TaskCatalog BuiltinTasks() {
  std::vector<TaskSpec> specs{
      AggregateSpec(), BusyCpuSpec(), ConcatSpec(),         DedupeSpec(),
      FeaturesSpec(),  FilterSpec(),  FixedSourceSpec(),    FollowSpec(),
      JoinSpec(),      MediaSpec(),   RecommendationSpec(), SleepSpec(),
      SortSpec(),      TakeSpec(),    ViewerSpec(),         VmSpec(),
  };
  return TaskCatalog(std::move(specs));
}

}  // namespace rankd
