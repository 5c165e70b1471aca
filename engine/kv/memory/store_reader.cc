#include "engine/kv/memory/store_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

namespace ondemand = simdjson::ondemand;

/// simdjson's errors are exceptions here (simdjson_error); what is JSON but no data is false. Every
/// value is looked at, so that none goes unchecked: On-Demand skips what is not asked for.
class StoreReader {
 public:
  explicit StoreReader(MemoryStore& store) : store_(store) {}

  bool Read(ondemand::document& document) {
    for (ondemand::field field : document.get_object()) {
      const std::string_view key = store_.arena_.Store(field.unescaped_key());
      if (!AddEntry(key, field.value())) return false;
    }
    // Nothing behind it.
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

 private:
  bool AddEntry(std::string_view key, ondemand::value value) {
    MemoryStore::Entry entry;
    entry.key = key;
    entry.first_node = static_cast<std::uint32_t>(store_.nodes_.size());
    switch (ondemand::json_type(value.type())) {
      case ondemand::json_type::object:
        entry.type = MemoryStore::Type::kHash;
        if (!AddHash(value.get_object(), entry)) return false;
        break;
      case ondemand::json_type::array:
        entry.type = MemoryStore::Type::kList;
        for (ondemand::value item : value.get_array()) {
          if (!AddScalar(item)) return false;
        }
        break;
      case ondemand::json_type::string:
        AddText(value.get_string());
        break;
      default:
        return false;
    }
    entry.node_count = static_cast<std::uint32_t>(store_.nodes_.size()) - entry.first_node;
    const auto number = static_cast<std::uint32_t>(store_.entries_.size());
    const bool is_new =
        store_.by_key_
            .FindOrInsert(key, number,
                          [this](std::uint32_t known) { return store_.entries_[known].key; })
            .second;
    store_.entries_.push_back(entry);
    return is_new;
  }

  bool AddHash(ondemand::object hash, MemoryStore::Entry& entry) {
    for (ondemand::field field : hash) {
      AddText(field.unescaped_key());
      if (!AddScalar(field.value())) return false;
    }
    const std::size_t fields = (store_.nodes_.size() - entry.first_node) / 2;
    order_.resize(fields);
    for (std::size_t i = 0; i < fields; ++i) {
      order_[i] = entry.first_node + static_cast<std::uint32_t>(2 * i);
    }
    const auto name = [this](std::uint32_t node) { return store_.nodes_[node].text(); };
    if (fields <= MemoryStore::kManyFields) {
      for (auto field = order_.begin(); field != order_.end(); ++field) {
        if (std::ranges::find(order_.begin(), field, name(*field), name) != field) return false;
      }
      return true;
    }
    std::ranges::sort(order_, {}, name);
    if (std::ranges::adjacent_find(order_, {}, name) != order_.end()) return false;
    entry.sorted = true;
    entry.first_sorted = static_cast<std::uint32_t>(store_.sorted_fields_.size());
    store_.sorted_fields_.insert(store_.sorted_fields_.end(), order_.begin(), order_.end());
    return true;
  }

  bool AddScalar(ondemand::value value) {
    switch (ondemand::json_type(value.type())) {
      case ondemand::json_type::string:
        AddText(value.get_string());
        return true;
      case ondemand::json_type::number:
        return AddNumber(value);
      case ondemand::json_type::boolean:
        AddText(bool(value.get_bool()) ? "true" : "false");
        return true;
      default:
        return false;
    }
  }

  bool AddNumber(ondemand::value value) {
    const std::string_view token = value.raw_json_token();
    const ondemand::number number = value.get_number();
    char* const begin = number_.data();
    char* end = nullptr;
    switch (number.get_number_type()) {
      case ondemand::number_type::signed_integer:
        end = WriteInt(begin, number.get_int64());
        break;
      case ondemand::number_type::unsigned_integer:
        end = std::ranges::copy(std::to_string(number.get_uint64()), begin).out;
        break;
      case ondemand::number_type::floating_point_number: {
        // Not get_double: of numbers of 19 digits and more, simdjson 3.0 gives 0.0 here.
        const std::size_t last = token.find_last_of("0123456789");
        const std::optional<double> parsed = ParseFloat(token.substr(0, last + 1));
        if (!parsed) return false;
        end = WriteFloat(begin, *parsed);
        break;
      }
      default:  // newer simdjson has integers of any size
        return false;
    }
    AddText({begin, end});
    return true;
  }

  void AddText(std::string_view text) {
    const std::string_view stored = store_.arena_.Store(text);
    ReplyNode node;
    node.kind = ReplyKind::kString;
    node.size = static_cast<std::uint32_t>(stored.size());
    node.data = stored.data();
    store_.nodes_.push_back(node);
  }

  MemoryStore& store_;
  std::array<char, kMaxNumberText> number_;
  std::vector<std::uint32_t> order_;  ///< Of fields. Kept for its memory.
};

bool ReadStore(std::string& text, MemoryStore& store) {
  const std::size_t size = text.size();
  // An element takes some five bytes of text at least. Large data may grow as it comes.
  constexpr std::size_t kMostExpected = std::size_t{64} << 10;
  store.nodes_.reserve(std::min(size / 5, kMostExpected));
  text.append(simdjson::SIMDJSON_PADDING, '\0');
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  bool valid = false;
  try {
    ondemand::parser parser;
    ondemand::document document = parser.iterate(
        simdjson::padded_string_view(text.data() + begin, size - begin, text.size() - begin));
    valid = StoreReader(store).Read(document);
  } catch (const simdjson::simdjson_error&) {
    valid = false;
  }
  text.resize(size);
  return valid;
}

}  // namespace rankd
