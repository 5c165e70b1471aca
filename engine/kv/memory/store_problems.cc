#include "engine/kv/memory/store_problems.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/base/json.h"

namespace rankd {
namespace {

/// What it finds, in the order of the file.
class ProblemFinder {
 public:
  explicit ProblemFinder(std::vector<Error>& problems) : problems_(problems) {}

  void Look(const Json& root) {
    if (!root.is_object()) {
      Add("", "expected an object of keys, not " + root.Describe());
      return;
    }
    std::set<std::string_view> keys;
    for (const JsonField& field : root.fields()) {
      LookAtKey(field);
      if (!keys.insert(field.name).second) Add(JsonPointer("", field.name), "the key stands twice");
    }
  }

 private:
  void LookAtKey(const JsonField& key) {
    const std::string pointer = JsonPointer("", key.name);
    if (key.value.is_object()) {
      std::set<std::string_view> names;
      for (const JsonField& field : key.value.fields()) {
        std::string place = JsonPointer(pointer, field.name);
        if (!names.insert(field.name).second) Add(place, "the field stands twice");
        LookAtElement(std::move(place), field.value);
      }
    } else if (key.value.is_array()) {
      std::size_t index = 0;
      for (const Json& item : key.value.items()) LookAtElement(JsonPointer(pointer, index++), item);
    } else if (!key.value.is_string()) {
      Add(pointer, "a key holds a hash (an object), a list (an array) or a string, not " +
                       key.value.Describe());
    }
  }

  void LookAtElement(std::string pointer, const Json& value) {
    if (!value.is_null() && !value.is_object() && !value.is_array()) return;
    Add(std::move(pointer), "expected a string, a number, true or false, not " + value.Describe());
  }

  void Add(std::string pointer, std::string message) {
    problems_.push_back(Error(ErrorCode::kInvalidPlan, std::move(message)).At(std::move(pointer)));
  }

  std::vector<Error>& problems_;
};

}  // namespace

void FindStoreProblems(std::string_view text, std::vector<Error>& problems) {
  const Result<JsonDocument> document = ParseJson(text);
  if (!document) {
    problems.emplace_back(ErrorCode::kInvalidPlan, document.error().message);
    return;
  }
  const std::size_t before = problems.size();
  ProblemFinder(problems).Look(document->root());
  // Never seen: the readers would have to disagree.
  if (problems.size() == before) {
    problems.emplace_back(ErrorCode::kInvalidPlan, "not valid JSON");
  }
}

}  // namespace rankd
