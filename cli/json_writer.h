// JSON text, piece by piece, without spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/data/value.h"

namespace rankd {

/// Puts the commas; that names and values alternate as they must is the caller's business.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Name(std::string_view name);

  void String(std::string_view text);
  void Int(std::int64_t number);
  void Bool(bool value);
  void Null();
  void Any(const Value& value);

  void StringField(std::string_view name, std::string_view text) { Name(name), String(text); }
  void IntField(std::string_view name, std::int64_t number) { Name(name), Int(number); }
  void BoolField(std::string_view name, bool value) { Name(name), Bool(value); }

  /// The text, which is complete, and a newline.
  std::string Line() const { return text_ + "\n"; }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();

  std::string text_;
  bool first_ = true;  ///< Nothing stands before the next value that a comma must follow.
};

/// The value as it stands in a response; "null" for none.
std::string ValueText(const Value& value);

}  // namespace rankd
