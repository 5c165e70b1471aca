#include "engine/kv/memory/store_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "engine/kv/key_pattern.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

namespace ondemand = simdjson::ondemand;

/// simdjson's errors are exceptions here (simdjson_error); what is JSON but no data is false. Every
/// value is looked at, so that none goes unchecked: On-Demand skips what is not asked for, as it
/// may where a plain int was found here.
class StoreReader {
 public:
  explicit StoreReader(MemoryStore& store) : store_(store) {}

  bool Read(ondemand::document& document) {
    for (ondemand::field field : document.get_object()) {
      const std::string_view key = Name(field);
      if (!AddEntry(key, field.value())) return false;
    }
    // Nothing behind it.
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

 private:
  /// What stands between quotes, if it says itself. `first`: behind the first quote, where simdjson
  /// has found valid UTF-8 and a second quote. nullopt where an escape has to be replaced.
  static std::optional<std::string_view> Plain(const char* first) {
    const char* last = first;
    while (*last != '"') {
      if (*last++ == '\\') return std::nullopt;
    }
    return std::string_view(first, last);
  }

  std::string_view Name(ondemand::field& field) {
    const std::optional<std::string_view> plain = Plain(field.key().raw());
    return plain ? *plain : store_.arena_.Store(field.unescaped_key());
  }

  std::string_view Text(ondemand::value& value) {
    const std::optional<std::string_view> plain = Plain(value.raw_json_token().data() + 1);
    if (!plain) return store_.arena_.Store(value.get_string());
    // Taken, or what is skipped could be taken for the name of a field.
    const ondemand::raw_json_string taken = value.get_raw_json_string();
    static_cast<void>(taken);
    return *plain;
  }

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
        if (AddPlainInts(value.raw_json_token().data())) break;
        for (ondemand::value item : value.get_array()) {
          if (!AddScalar(item)) return false;
        }
        break;
      case ondemand::json_type::string:
        AddText(Text(value));
        break;
      default:
        return false;
    }
    entry.node_count = static_cast<std::uint32_t>(store_.nodes_.size()) - entry.first_node;
    return AddKey(entry);
  }

  /// False where it is there already.
  bool AddKey(const MemoryStore::Entry& entry) {
    const auto number = static_cast<std::uint32_t>(store_.entries_.size());
    store_.entries_.push_back(entry);
    const std::optional<SplitNumber> split = SplitKey(entry.key);
    if (!split) {
      const auto key_of = [this](std::uint32_t known) { return store_.entries_[known].key; };
      return store_.by_key_.FindOrInsert(entry.key, number, key_of).second;
    }
    std::vector<MemoryStore::Numbered>& numbered = store_.numbered_;
    // Mostly that of the key before.
    if (numbered.empty() || numbered[latest_].prefix != split->prefix) {
      const auto prefix_of = [&numbered](std::uint32_t known) { return numbered[known].prefix; };
      const auto [found, is_new] = store_.by_prefix_.FindOrInsert(
          split->prefix, static_cast<std::uint32_t>(numbered.size()), prefix_of);
      if (is_new) numbered.push_back({split->prefix, FlatMap()});
      latest_ = found;
    }
    return numbered[latest_]
        .entry_of.FindOrInsert(static_cast<std::uint64_t>(split->number), number)
        .second;
  }

  /// Adds the elements of a list of ints as Redis would hold them, which most lists are: two thirds
  /// of what On-Demand does for each. False, with nothing added, where `bracket` opens any other.
  bool AddPlainInts(const char* bracket) {
    const std::size_t before = store_.nodes_.size();
    for (const char* at = bracket;;) {
      at = BehindSpace(at + 1);  // up to the zeros behind the text at the latest
      const std::size_t size = PlainInt(at);
      if (size == 0) break;
      AddText({at, size});
      at = BehindSpace(at + size);
      if (*at == ']') return true;
      if (*at != ',') break;
    }
    store_.nodes_.resize(before);
    return false;
  }

  static const char* BehindSpace(const char* at) {
    while (*at <= ' ' && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
    return at;
  }

  bool AddHash(ondemand::object hash, MemoryStore::Entry& entry) {
    for (ondemand::field field : hash) {
      AddText(Name(field));
      if (!AddScalar(field.value())) return false;
    }
    const std::vector<ReplyNode>& nodes = store_.nodes_;
    const std::size_t fields = (nodes.size() - entry.first_node) / 2;
    if (fields <= MemoryStore::kManyFields) {
      for (std::size_t i = entry.first_node + 2; i < nodes.size(); i += 2) {
        for (std::size_t j = entry.first_node; j < i; j += 2) {
          if (nodes[i].text() == nodes[j].text()) return false;
        }
      }
      return true;
    }
    order_.resize(fields);
    for (std::size_t i = 0; i < fields; ++i) {
      order_[i] = entry.first_node + static_cast<std::uint32_t>(2 * i);
    }
    const auto name = [&nodes](std::uint32_t node) { return nodes[node].text(); };
    std::ranges::sort(order_, {}, name);
    if (std::ranges::adjacent_find(order_, {}, name) != order_.end()) return false;
    entry.sorted = true;
    entry.first_sorted = static_cast<std::uint32_t>(store_.sorted_fields_.size());
    store_.sorted_fields_.insert(store_.sorted_fields_.end(), order_.begin(), order_.end());
    return true;
  }

  bool AddScalar(ondemand::value value) {
    const std::string_view token = value.raw_json_token();
    switch (token.front()) {
      case '"':
        AddText(Text(value));
        return true;
      case 't':
      case 'f':
        AddText(bool(value.get_bool()) ? std::string_view("true") : std::string_view("false"));
        return true;
      default:
        if (const std::size_t size = PlainInt(token.data())) {
          AddText({token.data(), size});
          return true;
        }
        return ondemand::json_type(value.type()) == ondemand::json_type::number &&
               AddNumber(token, value.get_number());
    }
  }

  /// Bytes of the number at `begin`, if it is an int as Redis would hold it, with no more digits
  /// than every int of their number fits; or 0.
  static std::size_t PlainInt(const char* begin) {
    constexpr std::ptrdiff_t kMost = 18;
    const char* const first = begin + (*begin == '-' ? 1 : 0);
    const char* end = first;
    while (IsDigit(*end)) ++end;  // up to the zeros behind the text at the latest
    const std::ptrdiff_t digits = end - first;
    if (digits == 0 || digits > kMost || (*first == '0' && end - begin > 1)) return 0;
    const bool over = *end == ',' || *end == ']' || *end == '}' || *end == ' ' || *end == '\n' ||
                      *end == '\r' || *end == '\t';
    return over ? static_cast<std::size_t>(end - begin) : 0;
  }

  bool AddNumber(std::string_view token, ondemand::number number) {
    std::array<char, kMaxNumberText> written;
    char* end = written.data();
    switch (number.get_number_type()) {
      case ondemand::number_type::signed_integer:
        end = WriteInt(end, number.get_int64());
        break;
      case ondemand::number_type::unsigned_integer:
        end = std::ranges::copy(std::to_string(number.get_uint64()), end).out;
        break;
      case ondemand::number_type::floating_point_number: {
        // Not get_double: of numbers of 19 digits and more, simdjson 3.0 gives 0.0 here.
        const std::size_t last = token.find_last_of("0123456789");
        const std::optional<double> parsed = ParseFloat(token.substr(0, last + 1));
        if (!parsed) return false;
        end = WriteFloat(end, *parsed);
        break;
      }
      default:  // newer simdjson has integers of any size
        return false;
    }
    AddText(store_.arena_.Store({written.data(), end}));
    return true;
  }

  /// Which lives as long as the store.
  void AddText(std::string_view text) {
    ReplyNode node;
    node.kind = ReplyKind::kString;
    node.size = static_cast<std::uint32_t>(text.size());
    node.data = text.data();
    store_.nodes_.push_back(node);
  }

  MemoryStore& store_;
  std::uint32_t latest_ = 0;          ///< Prefix that a key had, of the store's.
  std::vector<std::uint32_t> order_;  ///< Of fields. Kept for its memory.
};

bool ReadStore(MemoryStore& store) {
  std::string& text = store.text_;
  const std::size_t size = text.size();
  // An element takes some five bytes of text, a key with its elements some sixty. Of large data,
  // which may grow as it comes, less is expected than there may be.
  const std::size_t expected = std::min(size, std::size_t{256} << 10);
  store.nodes_.reserve(expected / 5);
  store.entries_.reserve(expected / 60);
  text.append(simdjson::SIMDJSON_PADDING, '\0');
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  bool valid = false;
  try {
    ondemand::parser parser;
    // Data is flat. By itself the parser would make room for a thousand brackets.
    constexpr std::size_t kDepth = 8;
    if (const simdjson::error_code error = parser.allocate(size, kDepth)) {
      throw simdjson::simdjson_error(error);
    }
    ondemand::document document = parser.iterate(
        simdjson::padded_string_view(text.data() + begin, size - begin, text.size() - begin));
    valid = StoreReader(store).Read(document);
  } catch (const simdjson::simdjson_error& error) {
    if (error.error() == simdjson::MEMALLOC) throw std::bad_alloc();
    valid = false;
  }
  text.resize(size);
  return valid;
}

}  // namespace rankd
