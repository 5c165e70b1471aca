// Redis key templates: "user:{id}", "feed:{country}:{id}".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/kv/key_pattern.h"

namespace rankd {

/// Compiled; immutable; any thread.
class KeyTemplate {
 public:
  /// `{name}` is a key of the row; a brace that opens no name is an error (kInvalidPlan).
  [[nodiscard]] static Result<KeyTemplate> Parse(std::string_view text, const Schema& schema);

  /// Appends the key of `row` to `out`: ints and floats as in a response, bools as true and false,
  /// strings byte for byte. bad_data when a named key is null or not carried.
  [[nodiscard]] Result<void> Append(const RowSet& rows, std::size_t row, const Schema& schema,
                                    std::string& out) const;
  /// The same for a row of which only the id is known. Only if uses_only_id().
  std::string ForId(std::int64_t id) const;
  /// The same of many: nullptr unless the id stands in the key once, and nothing else.
  const KeyPattern* pattern() const { return pattern_ ? &*pattern_ : nullptr; }
  bool uses_only_id() const;
  /// The keys it names, in order of appearance, repeats included.
  std::vector<KeyId> keys() const;

 private:
  struct Part {
    std::string literal;  ///< Before the key.
    KeyId key;
  };

  std::vector<Part> parts_;
  std::string tail_;
  std::optional<KeyPattern> pattern_;
};

}  // namespace rankd
