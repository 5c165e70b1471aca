#include "tests/run/run_script.h"

#include <algorithm>
#include <limits>

namespace rankd {
namespace {

constexpr int kNoTime = std::numeric_limits<int>::max();
using Begins = Outcome::Begins;

/// What is known of a node that starts.
struct Course {
  int start = 0;
  int end = 0;
  bool starts = true;  ///< Unless the run ends before.
  bool fails = false;
  ErrorCode code{};
  std::int64_t id = 0;
};

Course CourseOf(const RunScript& script, std::size_t node, const std::vector<Course>& before) {
  Course course;
  std::int64_t sum = 1;
  for (const std::uint32_t input : script.inputs[node]) {
    const Course& from = before[input];
    if (!from.starts || from.fails) course.starts = false;
    course.start = std::max(course.start, from.end);
    sum = (sum + from.id) % 1'000'003;
  }
  course.id = sum;
  const NodeScript& does = script.nodes[node];
  course.end = course.start + does.delay;
  const int timeout = does.timeout.value_or(script.node_timeout);
  if (timeout > 0 && does.delay > timeout) {
    course.end = course.start + timeout;
    course.fails = true;
    course.code = ErrorCode::kNodeTimeout;
  } else if (does.failure) {
    course.fails = true;
    course.code = *does.failure;
  }
  return course;
}

/// The earliest failure of a node, if it comes before `outcome.at`.
void FailFirst(const std::vector<Course>& courses, Outcome& outcome) {
  int first = kNoTime;
  for (const Course& course : courses) {
    if (course.starts && course.fails) first = std::min(first, course.end);
  }
  if (first == kNoTime) return;
  outcome.at = first;
  for (std::size_t node = 0; node < courses.size(); ++node) {
    const Course& course = courses[node];
    if (!course.starts || !course.fails || course.end != first) continue;
    outcome.failing.push_back(node);
    outcome.error = course.code;
  }
}

void EndAt(int time, ErrorCode code, Outcome& outcome) {
  if (time == 0 || time > outcome.at) return;
  outcome.at = time;
  outcome.error = code;
  outcome.failing.clear();
}

}  // namespace

Outcome Simulate(const RunScript& script) {
  std::vector<Course> courses;
  std::vector<bool> feeds(script.inputs.size(), false);
  for (std::size_t node = 0; node < script.inputs.size(); ++node) {
    courses.push_back(CourseOf(script, node, courses));
    for (const std::uint32_t input : script.inputs[node]) feeds[input] = true;
  }
  Outcome outcome;
  for (const Course& course : courses) {
    if (course.starts) outcome.at = std::max(outcome.at, course.end);
  }
  FailFirst(courses, outcome);
  EndAt(script.deadline, ErrorCode::kDeadlineExceeded, outcome);
  EndAt(script.cancelled_at, ErrorCode::kCancelled, outcome);
  for (std::size_t node = 0; node < courses.size(); ++node) {
    const Course& course = courses[node];
    outcome.begins.push_back(!course.starts || course.start > outcome.at   ? Begins::kNot
                             : course.start == outcome.at && outcome.error ? Begins::kPerhaps
                                                                           : Begins::kOnce);
    if (!outcome.error && !feeds[node]) outcome.output_ids.push_back(course.id);
  }
  return outcome;
}

RunScript MakeScript(std::size_t max_nodes, const ScriptNumbers& next) {
  const auto below = [&](std::uint32_t n) { return next() % n; };
  // Never of the number zero, so that what numbers that have run out lead to is plain.
  const auto one_in = [&](std::uint32_t n) { return below(n) == n - 1; };
  const auto time = [&](std::uint32_t n, int rest) {
    return 4 * static_cast<int>(below(n)) + rest;
  };
  RunScript script;
  script.inputs.resize(1 + below(static_cast<std::uint32_t>(max_nodes)));
  script.nodes.resize(script.inputs.size());
  for (std::size_t node = 0; node < script.inputs.size(); ++node) {
    for (std::uint32_t i = node == 0 ? 0 : below(4); i > 0; --i) {
      script.inputs[node].push_back(below(static_cast<std::uint32_t>(node)));
    }
    NodeScript& does = script.nodes[node];
    does.place = static_cast<NodeScript::Place>(below(3));
    if (does.place != NodeScript::Place::kByCost) does.delay = time(12, 0);
    if (one_in(25)) does.failure = one_in(2) ? ErrorCode::kBadData : ErrorCode::kTaskFailed;
    if (one_in(10)) does.timeout = time(15, 1);
    if (one_in(10)) does.timeout = 0;
  }
  if (one_in(5)) script.node_timeout = time(15, 1);
  if (one_in(3)) script.deadline = time(40, 2);
  if (one_in(6)) script.cancelled_at = time(30, 3);
  script.cpu = static_cast<CpuMode>(below(4));
  return script;
}

std::string RunScript::ToText() const {
  std::string text = "deadline " + std::to_string(deadline) + ", node timeout " +
                     std::to_string(node_timeout) + ", cancelled at " +
                     std::to_string(cancelled_at) + ", cpu " +
                     std::to_string(static_cast<int>(cpu)) + "\n";
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    constexpr const char* kPlaces[] = {"loop", "by cost", "pool"};
    const NodeScript& does = nodes[node];
    text += 'n' + std::to_string(node) + ' ' + kPlaces[static_cast<int>(does.place)] + ' ' +
            std::to_string(does.delay);
    for (const std::uint32_t input : inputs[node]) text += " <n" + std::to_string(input);
    if (does.timeout) text += " timeout " + std::to_string(*does.timeout);
    if (does.failure) text += " fails as " + std::string(CodeName(*does.failure));
    text += '\n';
  }
  return text;
}

}  // namespace rankd
