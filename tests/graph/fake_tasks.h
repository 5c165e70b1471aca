// A small catalog of made-up ops that use every way a task can ask for params, and plans built on
// it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/graph/graph.h"
#include "engine/plan/endpoints.h"
#include "engine/plan/plan.h"
#include "engine/plan/problem.h"
#include "engine/task/spec.h"

namespace rankd {

/// source     0 inputs  count (1…100 or expr, required), user (flag: needs a user_id)
/// fetch      0 or 1    endpoint, key (template), fields (keys to write); async
/// pass       1         nothing
/// any        0 or more nothing
/// merge      2 or more rhs
/// pair       2         rhs; select (keys the left may not carry)
/// set        1         out_key, expr or expr_id
/// keep       1         pred or pred_id
/// choose     1         how (required: "a", "b"), order ("up", "down"), by (key), deep ([{key}]),
///                      out ({key: scalar})
TaskCatalog FakeTasks();

/// Keys id (1), score (float, 2002), n (int), kept (int, not to be written), old (int, deprecated),
/// gone (int, blocked), text (string); params weight (float), limit (int), old_param (deprecated),
/// gone_param (blocked).
Schema FakeSchema();

/// The endpoint ep_0001, called redis_default.
EndpointTable FakeEndpoints();

/// A plan document from its `nodes`, its `outputs` and further fields.
std::string PlanJson(std::string_view nodes, std::string_view outputs, std::string_view more = "");

/// Parses and builds it over the fakes.
std::shared_ptr<const Graph> Build(std::string_view json, Problems& problems);
/// The same for a plan that must be sound.
std::shared_ptr<const Graph> MustBuild(std::string_view json);

}  // namespace rankd
