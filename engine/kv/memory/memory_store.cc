#include "engine/kv/memory/memory_store.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/number_text.h"

namespace rankd {
namespace {

/// Hashes with more fields than this are searched by bisection.
constexpr std::size_t kManyFields = 12;

ReplyNode StringNode(std::string_view text) {
  ReplyNode node;
  node.kind = ReplyKind::kString;
  node.size = static_cast<std::uint32_t>(text.size());
  node.data = text.data();
  return node;
}

/// The text Redis would hold, in `room` or where it stands; nullopt for what is no scalar.
std::optional<std::string_view> ScalarText(const Json& value, std::string& room) {
  room.clear();
  switch (value.kind()) {
    case Json::Kind::kBool:
      return *value.AsBool() ? "true" : "false";
    case Json::Kind::kInt:
      AppendInt(room, *value.AsInt());
      return room;
    case Json::Kind::kUint:
      room = value.Describe();  // its digits
      return room;
    case Json::Kind::kFloat:
      AppendFloat(room, *value.AsNumber());
      return room;
    case Json::Kind::kString:
      return value.AsString();
    default:
      return std::nullopt;
  }
}

}  // namespace

class MemoryStoreBuilder {
 public:
  MemoryStoreBuilder(MemoryStore& store, std::vector<Error>& problems)
      : store_(store), problems_(problems) {}

  void Add(const JsonField& field) {
    MemoryStore::Entry entry;
    entry.key = store_.arena_.Store(field.name);
    entry.first_node = static_cast<std::uint32_t>(store_.nodes_.size());
    if (field.value.is_object()) {
      entry.type = MemoryStore::Type::kHash;
      AddHash(field, entry);
    } else if (field.value.is_array()) {
      entry.type = MemoryStore::Type::kList;
      AddList(field);
    } else if (field.value.is_string()) {
      AddText(*field.value.AsString());
    } else {
      Problem(JsonPointer("", field.name),
              "a key holds a hash (an object), a list (an array) or a string, not " +
                  field.value.Describe());
      return;
    }
    entry.node_count = static_cast<std::uint32_t>(store_.nodes_.size()) - entry.first_node;
    const auto number = static_cast<std::uint32_t>(store_.entries_.size());
    const auto [first, is_new] = store_.by_key_.FindOrInsert(
        entry.key, number, [this](std::uint32_t known) { return store_.entries_[known].key; });
    if (!is_new) {
      Problem(JsonPointer("", field.name), "the key stands twice");
      return;
    }
    store_.entries_.push_back(entry);
  }

 private:
  void AddText(std::string_view text) {
    store_.nodes_.push_back(StringNode(store_.arena_.Store(text)));
  }

  void AddList(const JsonField& list) {
    std::size_t index = 0;
    for (const Json& item : list.value.items()) {
      if (const std::optional<std::string_view> text = ScalarText(item, room_)) {
        AddText(*text);
      } else {
        NotScalar(JsonPointer(JsonPointer("", list.name), index), item);
      }
      ++index;
    }
  }

  void AddHash(const JsonField& hash, MemoryStore::Entry& entry) {
    const auto pointer = [&](std::string_view field) {
      return JsonPointer(JsonPointer("", hash.name), field);
    };
    for (const JsonField& field : hash.value.fields()) {
      if (const std::optional<std::string_view> text = ScalarText(field.value, room_)) {
        AddText(field.name);
        AddText(*text);
      } else {
        NotScalar(pointer(field.name), field.value);
      }
    }
    const std::size_t fields = (store_.nodes_.size() - entry.first_node) / 2;
    order_.resize(fields);
    for (std::size_t i = 0; i < fields; ++i) {
      order_[i] = entry.first_node + static_cast<std::uint32_t>(2 * i);
    }
    const auto name = [this](std::uint32_t node) { return store_.nodes_[node].text(); };
    std::ranges::sort(order_, {}, name);
    for (std::size_t i = 1; i < fields; ++i) {
      if (name(order_[i - 1]) == name(order_[i])) {
        Problem(pointer(name(order_[i])), "the field stands twice");
      }
    }
    if (fields > kManyFields) {
      entry.sorted = true;
      entry.first_sorted = static_cast<std::uint32_t>(store_.sorted_fields_.size());
      store_.sorted_fields_.insert(store_.sorted_fields_.end(), order_.begin(), order_.end());
    }
  }

  void NotScalar(std::string pointer, const Json& value) {
    Problem(std::move(pointer),
            "expected a string, a number, true or false, not " + value.Describe());
  }
  void Problem(std::string pointer, std::string message) {
    problems_.push_back(Error(ErrorCode::kInvalidPlan, std::move(message)).At(std::move(pointer)));
  }

  MemoryStore& store_;
  std::vector<Error>& problems_;
  // Kept for their memory.
  std::string room_;
  std::vector<std::uint32_t> order_;
};

std::shared_ptr<const MemoryStore> MemoryStore::FromJson(const Json& root,
                                                         std::vector<Error>& problems) {
  auto store = std::make_shared<MemoryStore>();
  if (!root.is_object()) {
    problems.emplace_back(ErrorCode::kInvalidPlan,
                          "expected an object of keys, not " + root.Describe());
    return store;
  }
  MemoryStoreBuilder builder(*store, problems);
  store->entries_.reserve(root.fields().size());
  for (const JsonField& field : root.fields()) builder.Add(field);
  return store;
}

const MemoryStore::Entry* MemoryStore::Find(std::string_view key) const {
  const std::uint32_t number =
      by_key_.Find(key, [this](std::uint32_t known) { return entries_[known].key; });
  if (number == StringIndex::kNone) return nullptr;
  // An empty hash or list does not exist, though its name is taken.
  const Entry& entry = entries_[number];
  return entry.node_count == 0 ? nullptr : &entry;
}

const ReplyNode* MemoryStore::FindField(const Entry& hash, std::string_view field,
                                        std::uint32_t& likely) const {
  const ReplyNode* nodes = nodes_.data() + hash.first_node;
  if (likely < hash.node_count && nodes[likely].text() == field) return &nodes[likely + 1];
  if (hash.sorted) {
    const std::span<const std::uint32_t> order(sorted_fields_.data() + hash.first_sorted,
                                               hash.node_count / 2);
    const auto found = std::ranges::lower_bound(
        order, field, {}, [this](std::uint32_t node) { return nodes_[node].text(); });
    const bool there = found != order.end() && nodes_[*found].text() == field;
    return there ? &nodes_[*found + 1] : nullptr;
  }
  for (std::uint32_t i = 0; i < hash.node_count; i += 2) {
    if (nodes[i].text() != field) continue;
    likely = i;
    return &nodes[i + 1];
  }
  return nullptr;
}

}  // namespace rankd
