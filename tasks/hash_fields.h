// The fields of Redis hashes that a task reads, as columns. What a hash lacks is filled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/data/column.h"
#include "engine/data/rowset.h"
#include "engine/data/schema.h"
#include "engine/kv/command.h"
#include "engine/kv/reply.h"
#include "engine/task/key_set.h"
#include "engine/task/key_template.h"
#include "tasks/pipelines.h"

namespace rankd {

/// Which keys, and how their texts become values. Immutable, any thread.
class HashFields {
 public:
  /// Repeats count once. `id` is not among them.
  HashFields(std::vector<KeyId> keys, const Schema& schema);

  bool empty() const { return keys_.empty(); }
  /// Sorted; the order of the columns read.
  std::span<const KeyId> keys() const { return keys_; }
  void AddTo(KeySet& keys) const;
  /// How many hashes one pipeline asks for at the most.
  std::size_t most_at_once() const {
    const std::size_t hashes = kFieldsPerPipeline / std::max<std::size_t>(1, keys_.size());
    return std::clamp<std::size_t>(hashes, 1, kHashesPerPipeline);
  }

  /// Adds the HMGET of one hash; the batch must not outlive this.
  void Ask(std::string_view redis_key, CommandBatch& commands) const;
  /// The same of one for each id, by its key, which uses nothing but the id. All of them must
  /// outlive the batch.
  void AskEach(std::span<const std::int64_t> ids, const KeyTemplate& key,
               CommandBatch& commands) const;

  /// Of the replies to one HMGET for each of some rows, of which the first is `first_row` of
  /// `rows`.
  struct HMGetReplies {
    const CommandBatch& commands;
    const Replies& replies;
    const RowSet& rows;
    std::size_t first_row;
  };
  /// Appends to `columns`, out of as many of them from `begin` on as make kValuesPerTurn; gives the
  /// first that is left. `columns` is empty before the first of all, and gets its memory when there
  /// are replies to be read. Errors: redis_error, bad_data (both name the Redis key), null_value
  /// (names the row's id).
  [[nodiscard]] Result<std::size_t> ReadHMGet(const HMGetReplies& all, std::size_t begin,
                                              std::vector<ColumnBuilder>& columns) const;
  std::vector<ColumnRef> Finish(std::vector<ColumnBuilder> columns) const;
  /// The same out of one HGETALL for each of `rows`; fields that are not asked for are left out.
  [[nodiscard]] Result<std::vector<ColumnRef>> ReadHGetAll(const CommandBatch& commands,
                                                           const Replies& replies,
                                                           const RowSet& rows) const;

  /// Rows that carry `id` and the columns read, nothing else.
  RowSet MakeRows(ColumnRef ids, std::vector<ColumnRef> columns) const;
  /// `rows` with the columns read written.
  RowSet WriteTo(RowSet rows, std::vector<ColumnRef> columns) const;

 private:
  struct Field {
    ValueType type;
    Value fill;
    bool may_lack;  ///< There is a default, or null is fine.
  };
  /// Builders of the columns, empty, with room for so many rows.
  std::vector<ColumnBuilder> Builders(std::size_t rows) const;
  /// Appends the values of one field, out of arrays of plain elements. False: one of them is not
  /// one that may stand there.
  template <typename Replies>
  bool AppendAll(std::size_t field, const Replies& replies, ColumnBuilder& column) const;
  /// The first value that may not stand there, by row and then by field; there is one.
  std::unexpected<Error> FirstRefusal(const HMGetReplies& all) const;
  /// Appends the value of field `field`; `value` is nullptr where the hash lacks it. False: it is
  /// not one that may stand there.
  bool Append(std::size_t field, const ReplyNode* value, ColumnBuilder& column) const;
  /// Why Append refused `value`.
  std::unexpected<Error> Refusal(std::size_t field, const ReplyNode* value,
                                 std::string_view redis_key, std::int64_t id) const;

  std::vector<KeyId> keys_;
  HashFieldNames names_;       ///< Of keys_.
  std::vector<Field> fields_;  ///< Of keys_.
};

}  // namespace rankd
