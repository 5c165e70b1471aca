// Redis key templates: "user:{id}", "feed:{country}:{id}".
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"

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
  /// The same for a row of which only the id is known: writes to `out`, which has room for
  /// MostBytesForId(), and gives the end. Only if uses_only_id().
  char* WriteForId(std::int64_t id, char* out) const;
  std::size_t MostBytesForId() const;
  std::string ForId(std::int64_t id) const;
  bool uses_only_id() const;
  /// The keys it names, in order of appearance, repeats included.
  std::vector<KeyId> keys() const;

 private:
  /// What stands between keys.
  class Literal {
   public:
    /// What Write may write beyond its end.
    static constexpr std::size_t kShort = 16;

    explicit Literal(std::string_view text);
    const std::string& text() const { return text_; }
    /// Gives the end.
    char* Write(char* out) const {
      // A call of memcpy would take longer than all these 16 bytes.
      if (text_.size() <= kShort) {
        std::memcpy(out, head_.data(), kShort);
      } else {
        std::memcpy(out, text_.data(), text_.size());
      }
      return out + text_.size();
    }

   private:
    std::string text_;
    std::array<char, kShort> head_{};
  };
  struct Part {
    Literal literal;  ///< Before the key.
    KeyId key;
  };

  std::vector<Part> parts_;
  Literal tail_{""};
};

}  // namespace rankd
