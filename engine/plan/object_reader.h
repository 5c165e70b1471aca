// Reading the fields of one JSON object of a file, each problem recorded where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/plan/place.h"
#include "engine/plan/problem.h"

namespace rankd {

/// Whole numbers of files and requests: what a double holds exactly.
inline constexpr std::int64_t kMaxWhole = std::int64_t{1} << 53;

enum class Need : std::uint8_t { kOptional, kRequired };

/// The value as a JSON string with its quotes: for names in messages.
std::string JsonQuoted(std::string_view text);

/// A view of one object. A null field counts as absent. Every reading method records a problem for
/// a value of the wrong type, at the field, and for a required field that is absent, at the place
/// it should have; nullopt or nullptr comes back for both.
class ObjectReader {
 public:
  /// `object` must be one; `place` and `problems` must outlive the reader.
  ObjectReader(const Json& object, const Place& place, Problems& problems)
      : object_(object), place_(place), problems_(problems) {}

  /// Records each field that is not among `known`, with the nearest of them.
  void RefuseOthers(std::span<const std::string_view> known);

  const Json* Find(std::string_view name) const;
  std::optional<std::string_view> String(std::string_view name, Need need);
  std::optional<bool> Bool(std::string_view name);
  std::optional<std::int64_t> Int(std::string_view name, std::int64_t low, std::int64_t high,
                                  Need need = Need::kOptional);
  std::optional<double> Number(std::string_view name, double low, double high);
  const Json* Object(std::string_view name);
  const Json* Array(std::string_view name, Need need);

  /// Records a problem at the field `name`.
  void Problem(std::string_view name, std::string message);

 private:
  const Json* FindOrMiss(std::string_view name, Need need);
  void WrongType(std::string_view name, std::string_view wanted, const Json& found);

  const Json& object_;
  const Place& place_;
  Problems& problems_;
};

/// Records every field that some object of the document repeats; which one counts would be a guess.
/// Does not recurse.
void RefuseRepeatedFields(const Json& root, Problems& problems);

}  // namespace rankd
