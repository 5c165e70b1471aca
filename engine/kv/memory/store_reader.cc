#include "engine/kv/memory/store_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <simdjson.h>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "engine/kv/key_pattern.h"
#include "engine/kv/memory/memory_store.h"

namespace rankd {

namespace ondemand = simdjson::ondemand;

namespace {

/// Eight bytes at once (Hacker's Delight, chapter 6): of the marks, the lowest is exact.
constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
constexpr std::uint64_t kMarks = 0x80 * kOnes;

/// Its first byte is the lowest.
std::uint64_t LoadEight(const char* at) {
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  if constexpr (std::endian::native == std::endian::big) bytes = std::byteswap(bytes);
  return bytes;
}

/// Marks the bytes that are less than `least`, of those below 0x80.
constexpr std::uint64_t Below(std::uint64_t bytes, std::uint8_t least) {
  return (bytes - least * kOnes) & ~bytes;
}

constexpr std::uint64_t Equal(std::uint64_t bytes, char c) {
  return Below(bytes ^ static_cast<std::uint8_t>(c) * kOnes, 1);
}

/// The first byte from `at` on that does not stand for itself in a string: a quote, a backslash or
/// a control character, such as the zeros behind the text.
const char* BehindPlain(const char* at) {
  for (;; at += sizeof(std::uint64_t)) {
    const std::uint64_t bytes = LoadEight(at);
    const std::uint64_t found =
        (Below(bytes, ' ') | Equal(bytes, '"') | Equal(bytes, '\\')) & kMarks;
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
}

const char* BehindDigits(const char* at) {
  for (;; at += sizeof(std::uint64_t)) {
    // Digits become 0 … 9, and what is above gets its mark by six more.
    const std::uint64_t values = LoadEight(at) ^ '0' * kOnes;
    const std::uint64_t others = (((values & ~kMarks) + 0x76 * kOnes) | values) & kMarks;
    if (others != 0) return at + std::countr_zero(others) / 8;
  }
}

const char* BehindSpace(const char* at) {
  while (*at <= ' ' && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  return at;
}

}  // namespace

/// Reads from places in the text and gives the place behind what was read, or nullptr for what is
/// no data. A string of zeros ends the text, so that loops stop there without being told where.
/// Data is flat and most of it stands there as Redis would hold it: to find where texts and numbers
/// end is all there is to do, half of what On-Demand takes, which lists every bracket, comma and
/// quote before. simdjson reads what has escapes.
class StoreReader {
 public:
  explicit StoreReader(MemoryStore& store) : store_(store) {}

  /// `text`: valid UTF-8, with simdjson's padding behind it.
  bool Read(std::string_view text) {
    end_ = text.data() + text.size();
    const char* const first = BehindSpace(text.data());
    if (*first != '{') return false;
    const char* const last = ReadFields(
        first, [this](std::string_view key, const char* at) { return AddEntry(key, at); });
    return last != nullptr && BehindSpace(last) == end_;
  }

 private:
  struct Text {
    std::string_view text;
    const char* behind = nullptr;  ///< Its closing quote; nullptr where there is no text.
  };

  /// `{ "name": value, … }` from its bracket on. `read(name, place)` takes a value.
  template <typename Read>
  const char* ReadFields(const char* bracket, const Read& read) {
    const char* at = BehindSpace(bracket + 1);
    if (*at == '}') return at + 1;
    for (;;) {
      const Text name = ReadText(at);
      if (name.behind == nullptr) return nullptr;
      at = BehindSpace(name.behind);
      if (*at != ':') return nullptr;
      at = read(name.text, BehindSpace(at + 1));
      if (at == nullptr) return nullptr;
      at = BehindSpace(at);
      if (*at == '}') return at + 1;
      if (*at != ',') return nullptr;
      at = BehindSpace(at + 1);
    }
  }

  Text ReadText(const char* quote) {
    if (*quote != '"') return {};
    const char* const last = BehindPlain(quote + 1);
    if (*last == '"') return {{quote + 1, last}, last + 1};
    return *last == '\\' ? ReadEscaped(quote, last) : Text();
  }

  /// A string of which `at` is the first backslash. Inlined, what is rare costs all others
  /// registers.
  [[gnu::noinline]] Text ReadEscaped(const char* quote, const char* at) {
    while (*at == '\\') {
      if (at + 1 == end_) return {};
      at = BehindPlain(at + 2);
    }
    if (*at != '"') return {};
    const char* const behind = at + 1;
    const auto room = static_cast<std::size_t>(end_ - quote) + simdjson::SIMDJSON_PADDING;
    ondemand::document document = parser_.iterate(
        simdjson::padded_string_view(quote, static_cast<std::size_t>(behind - quote), room));
    return {store_.arena_.Store(document.get_string()), behind};
  }

  const char* AddEntry(std::string_view key, const char* at) {
    MemoryStore::Entry entry;
    entry.key = key;
    entry.first_node = static_cast<std::uint32_t>(store_.nodes_.size());
    switch (*at) {
      case '{':
        entry.type = MemoryStore::Type::kHash;
        at = AddHash(at, entry);
        break;
      case '[':
        entry.type = MemoryStore::Type::kList;
        at = AddList(at);
        break;
      default:
        at = AddString(at);
    }
    entry.node_count = static_cast<std::uint32_t>(store_.nodes_.size()) - entry.first_node;
    return at != nullptr && AddKey(entry) ? at : nullptr;
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

  const char* AddList(const char* bracket) {
    const char* at = BehindSpace(bracket + 1);
    if (*at == ']') return at + 1;
    for (;;) {
      at = AddScalar(at);
      if (at == nullptr) return nullptr;
      at = BehindSpace(at);
      if (*at == ']') return at + 1;
      if (*at != ',') return nullptr;
      at = BehindSpace(at + 1);
    }
  }

  const char* AddHash(const char* bracket, MemoryStore::Entry& entry) {
    const char* const behind = ReadFields(bracket, [this](std::string_view name, const char* at) {
      AddText(name);
      return AddScalar(at);
    });
    return behind != nullptr && IsEachFieldOnce(entry) ? behind : nullptr;
  }

  /// Puts the fields of a large hash in order, too.
  bool IsEachFieldOnce(MemoryStore::Entry& entry) {
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

  const char* AddScalar(const char* at) {
    switch (*at) {
      case '"':
        return AddString(at);
      case 't':
        return AddWord(at, "true");
      case 'f':
        return AddWord(at, "false");
      default:
        return AddNumber(at);
    }
  }

  const char* AddString(const char* quote) {
    const Text text = ReadText(quote);
    if (text.behind != nullptr) AddText(text.text);
    return text.behind;
  }

  const char* AddWord(const char* at, std::string_view word) {
    const std::string_view next(at, word.size());  // the padding is longer
    if (next != word) return nullptr;
    AddText(next);
    return at + word.size();
  }

  const char* AddNumber(const char* begin) {
    constexpr std::ptrdiff_t kFitting = 18;  // digits of an int, whichever they are
    const char* const first = begin + (*begin == '-' ? 1 : 0);
    const char* const at = BehindDigits(first);
    const std::ptrdiff_t digits = at - first;
    const bool plain = digits > 0 && digits <= kFitting && (*first != '0' || at - begin == 1) &&
                       *at != '.' && *at != 'e' && *at != 'E';
    if (!plain) return AddOtherNumber(begin);
    AddText({begin, at});
    return at;
  }

  /// A number that may not be an int, or not as Redis would hold it; rare, as above.
  [[gnu::noinline]] const char* AddOtherNumber(const char* begin) {
    const char* at = begin;
    while (IsDigit(*at) || *at == '.' || *at == 'e' || *at == 'E' || *at == '+' || *at == '-') ++at;
    const std::string_view token(begin, at);
    const std::optional<double> value = ParseFloat(token);
    if (!value) return nullptr;
    if (token.find_first_of(".eE") != std::string_view::npos) {
      std::array<char, kMaxNumberText> written;
      AddText(store_.arena_.Store({written.data(), WriteFloat(written.data(), *value)}));
    } else if (token == "-0") {
      AddText(token.substr(1));
    } else {
      std::uint64_t magnitude = 0;
      const bool fits = ParseInt(token) || std::from_chars(begin, at, magnitude).ec == std::errc();
      if (!fits) return nullptr;
      AddText(token);
    }
    return at;
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
  const char* end_ = nullptr;         ///< Of the text.
  std::uint32_t latest_ = 0;          ///< Prefix that a key had, of the store's.
  std::vector<std::uint32_t> order_;  ///< Of fields. Kept for its memory.
  ondemand::parser parser_;           ///< Of texts with escapes.
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
  std::string_view data = std::string_view(text).substr(0, size);
  if (data.starts_with(kByteOrderMark)) data.remove_prefix(kByteOrderMark.size());
  bool valid = false;
  try {
    valid = simdjson::validate_utf8(data) && StoreReader(store).Read(data);
  } catch (const simdjson::simdjson_error& error) {
    if (error.error() == simdjson::MEMALLOC) throw std::bad_alloc();
  }
  text.resize(size);
  return valid;
}

}  // namespace rankd
