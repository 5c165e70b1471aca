#include "tasks/builtin.h"

#include "engine/region/specs.h"
#include "tasks/specs.h"

namespace rankd {
namespace {

/// In the order in which they are listed.
constexpr const TaskSpec* kBuiltinTasks[] = {
    &kAggregateTask, &kBranchTask,   &kBusyCpuTask, &kCallTask,        &kConcatTask,
    &kDedupeTask,    &kFeaturesTask, &kFilterTask,  &kFixedSourceTask, &kFollowTask,
    &kForEachTask,   &kJoinTask,     &kLoopTask,    &kMediaTask,       &kRecommendationTask,
    &kSleepTask,     &kSortTask,     &kTakeTask,    &kTryTask,         &kViewerTask,
    &kVmTask,
};

}  // namespace

TaskCatalog BuiltinTasks() { return TaskCatalog(kBuiltinTasks); }

}  // namespace rankd
