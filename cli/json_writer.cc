#include "cli/json_writer.h"

#include "engine/base/json.h"
#include "engine/base/number_text.h"

namespace rankd {
namespace {

struct AppendValue {
  std::string& out;
  void operator()(std::monostate) const { out += "null"; }
  void operator()(std::int64_t number) const { AppendInt(out, number); }
  void operator()(double number) const { AppendFloat(out, number); }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(const std::string& text) const { AppendJsonString(out, text); }
};

}  // namespace

void JsonWriter::Separate() {
  if (!first_) text_.push_back(',');
  first_ = false;
}

void JsonWriter::Open(char bracket) {
  Separate();
  text_.push_back(bracket);
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  text_.push_back(bracket);
  first_ = false;
}

void JsonWriter::Name(std::string_view name) {
  String(name);
  text_.push_back(':');
  first_ = true;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(text_, text);
}

void JsonWriter::Int(std::int64_t number) {
  Separate();
  AppendInt(text_, number);
}

void JsonWriter::Bool(bool value) {
  Separate();
  text_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  Separate();
  text_ += "null";
}

void JsonWriter::Any(const Value& value) {
  Separate();
  std::visit(AppendValue{text_}, value);
}

std::string ValueText(const Value& value) {
  std::string text;
  std::visit(AppendValue{text}, value);
  return text;
}

}  // namespace rankd
