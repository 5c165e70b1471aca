#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/plan/object_reader.h"

namespace rankd {
namespace {

/// Up to this many fields, comparing each with each is faster than sorting.
constexpr std::size_t kFewFields = 16;

bool HasRepeats(std::span<const JsonField> fields, std::vector<std::string_view>& scratch) {
  if (fields.size() <= kFewFields) {
    for (std::size_t i = 1; i < fields.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (fields[i].name == fields[j].name) return true;
      }
    }
    return false;
  }
  scratch.clear();
  for (const JsonField& field : fields) scratch.push_back(field.name);
  std::ranges::sort(scratch);
  return std::ranges::adjacent_find(scratch) != scratch.end();
}

/// A value on the way down, and the number of its next child.
struct Step {
  const Json* value;
  std::size_t next;
};

std::string PointerTo(std::span<const Step> path) {
  std::string pointer;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::size_t child = path[i].next - 1;
    pointer = path[i].value->is_array() ? JsonPointer(pointer, child)
                                        : JsonPointer(pointer, path[i].value->fields()[child].name);
  }
  return pointer;
}

void ReportRepeats(std::span<const Step> path, Problems& problems) {
  std::vector<std::string_view> names;
  for (const JsonField& field : path.back().value->fields()) names.push_back(field.name);
  std::ranges::sort(names);
  const std::string object = PointerTo(path);
  for (std::size_t i = 1; i < names.size(); ++i) {
    const bool again = i >= 2 && names[i - 2] == names[i];
    if (names[i] != names[i - 1] || again) continue;
    problems.Add(JsonPointer(object, names[i]),
                 "the field " + JsonQuoted(names[i]) + " is given more than once");
  }
}

}  // namespace

void RefuseRepeatedFields(const Json& root, Problems& problems) {
  std::vector<std::string_view> scratch;
  std::vector<Step> path;
  const auto enter = [&](const Json& value) {
    if (!value.is_array() && !value.is_object()) return;
    path.push_back({&value, 0});
    if (HasRepeats(value.fields(), scratch)) ReportRepeats(path, problems);
  };
  enter(root);
  while (!path.empty()) {
    Step& step = path.back();
    const std::span<const Json> items = step.value->items();
    const std::span<const JsonField> fields = step.value->fields();
    if (step.next == items.size() + fields.size()) {
      path.pop_back();
      continue;
    }
    const std::size_t child = step.next++;
    enter(items.empty() ? fields[child].value : items[child]);
  }
}

}  // namespace rankd
