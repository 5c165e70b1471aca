#include "engine/wire/response.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace rankd {
namespace {

/// One field of a candidate: its column, and `,"name":`.
struct FieldColumn {
  const Column* column;
  std::string_view name;
  std::string_view label;
};

using FieldColumns = std::pmr::vector<FieldColumn>;

/// The columns to write, in alphabetical order, with their labels; once for all rows. Cost is by
/// what the rows carry, not by what the registry holds.
class FieldLayout {
 public:
  FieldLayout(const Request& request, const RowSet& rows)
      : memory_(stack_.data(), stack_.size()), fields_(&memory_), labels_(&memory_) {
    const Schema& schema = *request.plan->schema;
    if (request.output_keys) {
      for (const KeyId key : *request.output_keys) {
        if (const Column* column = rows.Find(key)) Add(*column, schema.key(key).name);
      }
    } else {
      for (const RowSet::Entry& entry : rows.entries().subspan(1)) {
        Add(*entry.column, schema.key(entry.key).name);
      }
      std::ranges::sort(fields_, {}, &FieldColumn::name);
    }
    WriteLabels();
  }
  FieldLayout(const FieldLayout&) = delete;
  FieldLayout& operator=(const FieldLayout&) = delete;

  const FieldColumns& fields() const { return fields_; }

 private:
  void Add(const Column& column, std::string_view name) { fields_.push_back({&column, name, {}}); }

  /// Key names are identifiers: nothing in them needs an escape.
  void WriteLabels() {
    std::size_t size = 0;
    for (const FieldColumn& field : fields_) size += field.name.size() + 4;
    labels_.reserve(size);
    for (FieldColumn& field : fields_) {
      const std::size_t begin = labels_.size();
      labels_.append(",\"").append(field.name).append("\":");
      field.label = std::string_view(labels_).substr(begin);
    }
  }

  std::array<std::byte, 2048> stack_;
  std::pmr::monotonic_buffer_resource memory_;
  FieldColumns fields_;
  std::pmr::string labels_;
};

/// Gathers the many small parts of rows before they go to a string: appending each of them costs
/// more than writing it.
class RowText {
 public:
  explicit RowText(std::string& out) : out_(out) {}
  RowText(const RowText&) = delete;
  RowText& operator=(const RowText&) = delete;

  void Text(std::string_view text) {
    if (text.size() > room()) Flush();
    if (text.size() > room()) {
      out_.append(text);
    } else {
      at_ = std::copy(text.begin(), text.end(), at_);
    }
  }
  void Int(std::int64_t value) {
    if (room() < kMaxNumberText) Flush();
    at_ = WriteInt(at_, value);
  }
  void Float(double value) {
    if (room() < kMaxNumberText) Flush();
    at_ = WriteFloat(at_, value);
  }
  void JsonString(std::string_view text) {
    if (!std::ranges::all_of(text, StandsForItself)) {
      Flush();
      AppendJsonString(out_, text);
      return;
    }
    Text("\"");
    Text(text);
    Text("\"");
  }
  void Flush() {
    out_.append(buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data()));
    at_ = buffer_.data();
  }

 private:
  /// In a JSON string.
  static bool StandsForItself(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  }
  std::size_t room() const {
    return static_cast<std::size_t>(buffer_.data() + buffer_.size() - at_);
  }

  std::string& out_;
  std::array<char, 2048> buffer_;
  char* at_ = buffer_.data();
};

void WriteValue(RowText& out, const Column& column, std::uint32_t row) {
  switch (column.type()) {
    case ValueType::kInt:
      return out.Int(column.ints()[row]);
    case ValueType::kFloat:
      return out.Float(column.floats()[row]);
    case ValueType::kBool:
      return out.Text(column.bools()[row] != 0 ? "true" : "false");
    case ValueType::kString:
      return out.JsonString(column.dictionary()->At(column.codes()[row]));
  }
}

void AppendRows(std::string& out, const Request& request, const RowSet& rows) {
  const std::size_t count = rows.rows();
  if (count == 0) return;
  const FieldLayout layout(request, rows);
  const std::span<const std::int64_t> ids = rows.ids().ints();
  RowText text(out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t row = rows.BaseRow(i);
    text.Text("{\"id\":");
    text.Int(ids[row]);
    text.Text(",\"fields\":{");
    std::size_t comma = 1;  // The first label goes without its comma.
    for (const FieldColumn& field : layout.fields()) {
      if (field.column->IsNullAt(row)) continue;
      text.Text(field.label.substr(comma));
      comma = 0;
      WriteValue(text, *field.column, row);
    }
    text.Text("}},");
  }
  text.Flush();
}

void AppendMember(std::string& out, std::string_view label, std::string_view text) {
  out += label;
  if (IsValidUtf8(text)) {
    AppendJsonString(out, text);
  } else {
    AppendJsonString(out, ReplaceInvalidUtf8(text));
  }
}

void AppendHead(std::string& out, std::string_view id_json) {
  out += "{\"request_id\":";
  out += id_json;
}

}  // namespace

void AppendSuccess(std::string& out, const Request& request, std::span<const RowSet> outputs,
                   const ResponseTrace* trace) {
  AppendHead(out, request.id_json);
  out += ",\"candidates\":[";
  for (const RowSet& rows : outputs) AppendRows(out, request, rows);
  if (out.back() == ',') out.pop_back();
  out += ']';
  if (trace != nullptr) out.append(",\"trace\":").append(trace->json);
  out += "}\n";
}

void AppendFailure(std::string& out, std::string_view id_json, const Error& error,
                   const ResponseTrace* trace) {
  AppendHead(out, id_json);
  AppendMember(out, ",\"error\":{\"code\":", CodeName(error.code));
  AppendMember(out, ",\"message\":", error.message);
  if (!error.node.empty()) AppendMember(out, ",\"node\":", error.node);
  if (!error.op.empty()) AppendMember(out, ",\"op\":", error.op);
  if (trace != nullptr) {
    out += ",\"elapsed_ms\":";
    // Milliseconds to the microsecond.
    AppendFloat(out, static_cast<double>(trace->elapsed.count() / 1000) / 1000);
  }
  out += '}';
  if (trace != nullptr) out.append(",\"trace\":").append(trace->json);
  out += "}\n";
}

}  // namespace rankd
