// What each task's file gives: its spec, for the list in builtin.cc.
#pragma once

#include "engine/task/spec.h"

namespace rankd {

extern const TaskSpec kAggregateTask;
extern const TaskSpec kBusyCpuTask;
extern const TaskSpec kConcatTask;
extern const TaskSpec kDedupeTask;
extern const TaskSpec kFeaturesTask;
extern const TaskSpec kFilterTask;
extern const TaskSpec kFixedSourceTask;
extern const TaskSpec kFollowTask;
extern const TaskSpec kJoinTask;
extern const TaskSpec kMediaTask;
extern const TaskSpec kRecommendationTask;
extern const TaskSpec kSleepTask;
extern const TaskSpec kSortTask;
extern const TaskSpec kTakeTask;
extern const TaskSpec kViewerTask;
extern const TaskSpec kVmTask;

}  // namespace rankd
