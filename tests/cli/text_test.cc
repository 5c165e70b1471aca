#include <string>

#include <doctest/doctest.h>

#include "cli/json_writer.h"
#include "cli/reorder_buffer.h"
#include "cli/text_table.h"
#include "tests/cli/recording_console.h"

namespace rankd {
namespace {

Problem Warning() { return {"/keys/x", "careful", Severity::kWarning, ErrorCode::kInvalidPlan}; }

TEST_CASE("errors and notes are one line each, with the prefix") {
  RecordingConsole recording;
  recording.console.Error("a\nb");
  recording.console.Note("c");
  recording.console.Print("out");
  CHECK(recording.err.text == "rankd: a b\nrankd: c\n");
  CHECK(recording.out.text == "out");
}

TEST_CASE("a note is given once") {
  RecordingConsole recording;
  recording.console.Note("c");
  recording.console.Note("c");
  recording.console.Error("c");
  CHECK(recording.err.text == "rankd: c\nrankd: c\n");
}

TEST_CASE("quiet silences notes and warnings, not errors") {
  RecordingConsole recording({.quiet = true, .colour = false});
  recording.console.Note("c");
  recording.console.Report("f.json", Warning());
  CHECK(recording.err.text == "");
  recording.console.Error("e");
  recording.console.Report("f.json", {"/a", "b", Severity::kError, ErrorCode::kInvalidPlan});
  CHECK(recording.err.text == "rankd: e\nrankd: f.json: /a: b\n");
}

TEST_CASE("warnings say that they are") {
  RecordingConsole recording;
  recording.console.Report("f.json", Warning());
  CHECK(recording.err.text == "rankd: f.json: /keys/x: warning: careful\n");
}

TEST_CASE("there are colours only where they are wanted") {
  CHECK(RecordingConsole().console.Green("ok") == "ok");
  CHECK(RecordingConsole({.quiet = false, .colour = true}).console.Green("ok") ==
        "\x1b[32mok\x1b[0m");
}

TEST_CASE("a table's columns are as wide as their widest cell") {
  const RecordingConsole recording;
  TextTable table({"A", "LONG", "B"});
  CHECK(table.empty());
  table.AddRow({"xyz", "1", "é"});
  table.AddRow({"éé", "", ""});
  table.AddRow({"", "123456", "b"});
  CHECK(table.Format(recording.console) ==
        "A    LONG    B\n"
        "xyz  1       é\n"
        "éé\n"
        "     123456  b\n");
}

TEST_CASE("JSON is written without spaces, commas where they belong") {
  JsonWriter json;
  json.BeginObject();
  json.StringField("a", "x\"y");
  json.Name("b");
  json.BeginArray();
  json.Int(-1);
  json.Null();
  json.BeginObject();
  json.EndObject();
  json.BeginArray();
  json.EndArray();
  json.Any(Value(0.5));
  json.EndArray();
  json.BoolField("c", true);
  json.Name("d");
  json.Any(Value(std::string("s")));
  json.EndObject();
  CHECK(json.Line() == "{\"a\":\"x\\\"y\",\"b\":[-1,null,{},[],0.5],\"c\":true,\"d\":\"s\"}\n");
  CHECK(ValueText(Value()) == "null");
}

TEST_CASE("answers wait for those before them") {
  ReorderBuffer order(true);
  std::string out;
  const auto answer = [](const char* text) { return [text](std::string& to) { to += text; }; };
  const std::uint64_t a = order.Reserve();
  const std::uint64_t b = order.Reserve();
  const std::uint64_t c = order.Reserve();
  CHECK(order.Put(c, out, answer("c")) == 0);
  CHECK(out == "");
  CHECK(order.Put(a, out, answer("a")) == 1);
  CHECK(order.Put(b, out, answer("b")) == 2);
  CHECK(out == "abc");
  const std::uint64_t d = order.Reserve();
  CHECK(order.Put(d, out, answer("d")) == 1);
  CHECK(out == "abcd");
}

TEST_CASE("unordered answers do not wait") {
  ReorderBuffer order(false);
  std::string out;
  order.Reserve();
  const std::uint64_t b = order.Reserve();
  CHECK(order.Put(b, out, [](std::string& to) { to += "b"; }) == 1);
  CHECK(out == "b");
}

}  // namespace
}  // namespace rankd
