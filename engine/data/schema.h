// The keys and params a plan may name: the registry's, with the plan's own added.
// Immutable once built, shared by the graph and its runs, any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/data/value.h"

namespace rankd {

enum class EntryStatus : std::uint8_t { kActive, kDeprecated, kBlocked };

/// A column a row may carry.
struct KeySpec {
  std::string name;
  ValueType type = ValueType::kInt;
  bool nullable = true;
  bool allow_write = true;
  Value default_value;                      ///< Of `type`, or null for none.
  std::optional<std::int64_t> registry_id;  ///< The number a compiled plan names it by.
  EntryStatus status = EntryStatus::kActive;
  std::string doc;
};

/// A value a request may give.
struct ParamSpec {
  std::string name;
  ValueType type = ValueType::kInt;
  bool nullable = true;
  Value default_value;  ///< Of `type`, or null for none.
  std::optional<std::int64_t> registry_id;
  EntryStatus status = EntryStatus::kActive;
  std::string doc;
};

class Schema {
 public:
  /// Holds the key `id` only.
  Schema();

  /// Adds; the name must be new (RANKD_CHECK). Before the schema is shared.
  KeyId AddKey(KeySpec spec);
  ParamId AddParam(ParamSpec spec);
  /// Adds a key that rows may carry but that cannot be found: one of a plan this one calls.
  KeyId AddHiddenKey(KeySpec spec);
  /// Replaces the attributes of an entry, name and type unchanged.
  void SetKey(KeyId key, KeySpec spec);
  void SetParam(ParamId param, ParamSpec spec);

  std::optional<KeyId> FindKey(std::string_view name) const;
  std::optional<KeyId> FindKey(std::int64_t registry_id) const;
  std::optional<ParamId> FindParam(std::string_view name) const;
  std::optional<ParamId> FindParam(std::int64_t registry_id) const;

  const KeySpec& key(KeyId key) const { return keys_[Index(key)]; }
  const ParamSpec& param(ParamId param) const { return params_[Index(param)]; }
  /// As FindKey, but hidden keys can be found as well: rows may carry them.
  std::optional<KeyId> FindKeyOfRows(std::string_view name) const;
  /// Of the keys that can be found, in their order. Views of this schema.
  std::vector<std::string_view> KeyNames() const;
  std::vector<std::string_view> ParamNames() const;

  std::size_t key_count() const { return keys_.size(); }
  std::size_t param_count() const { return params_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <typename Id>
  using ByName = std::unordered_map<std::string, Id, Hash, std::equal_to<>>;

  std::vector<KeySpec> keys_;
  std::vector<ParamSpec> params_;
  ByName<KeyId> key_by_name_;
  ByName<KeyId> hidden_key_by_name_;
  ByName<ParamId> param_by_name_;
  std::unordered_map<std::int64_t, KeyId> key_by_registry_id_;
  std::unordered_map<std::int64_t, ParamId> param_by_registry_id_;
};

/// The params of one request, by ParamId: the request's value, else the default, else absent.
/// An absent param and an explicit null differ only for the error message.
class ParamValues {
 public:
  ParamValues() = default;
  /// Every param at its schema default.
  explicit ParamValues(const Schema& schema);

  void Set(ParamId param, Value value) { values_[Index(param)] = std::move(value); }
  /// Null when it has no value or was set to null.
  const Value& Get(ParamId param) const { return values_[Index(param)]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<Value> values_;
};

}  // namespace rankd
