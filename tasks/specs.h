// What each task's file gives: its spec, for the list in builtin.cc.
#pragma once

#include "engine/task/spec.h"

namespace rankd {

TaskSpec AggregateSpec();
TaskSpec BusyCpuSpec();
TaskSpec ConcatSpec();
TaskSpec DedupeSpec();
TaskSpec FeaturesSpec();
TaskSpec FilterSpec();
TaskSpec FixedSourceSpec();
TaskSpec FollowSpec();
TaskSpec JoinSpec();
TaskSpec MediaSpec();
TaskSpec RecommendationSpec();
TaskSpec SleepSpec();
TaskSpec SortSpec();
TaskSpec TakeSpec();
TaskSpec ViewerSpec();
TaskSpec VmSpec();

}  // namespace rankd
