#include "cli/bench/bench_requests.h"

#include <set>
#include <utility>

#include "engine/plan/plan_files.h"
#include "engine/wire/splitter.h"

namespace rankd {
namespace {

constexpr std::string_view kDefaultRequest = R"({"user_id":1})";
constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 30;

Result<void> Check(const RequestText& text, std::size_t max_request_bytes) {
  switch (text.status) {
    case RequestText::Status::kTruncated:
      return Fail(ErrorCode::kInvalidJson, "request ends before its brackets are closed");
    case RequestText::Status::kTooLarge:
      return Fail(ErrorCode::kRequestTooLarge, "request is longer than " +
                                                   std::to_string(max_request_bytes) +
                                                   " bytes; raise --max_request_bytes to take it");
    case RequestText::Status::kComplete:
      break;
  }
  return {};
}

std::string Joined(const std::set<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

}  // namespace

Result<BenchRequests> LoadBenchRequests(const std::optional<std::string>& file,
                                        std::size_t max_request_bytes, RequestParser& parser) {
  std::string bytes(kDefaultRequest);
  if (file) {
    Result<std::string> read = ReadWholeFile(*file, kMaxRequestBytes);
    if (!read) return Fail(read.error().code, *file + ": " + read.error().message);
    bytes = *std::move(read);
  }
  BenchRequests requests;
  std::set<std::string> plans;
  Request request;
  RequestSplitter splitter(max_request_bytes);
  splitter.Feed(bytes);
  bool finished = false;
  for (;;) {
    const std::optional<RequestText> text = splitter.Next();
    if (!text) {
      if (std::exchange(finished, true)) break;
      splitter.FinishInput();
      continue;
    }
    Result<void> sound = Check(*text, max_request_bytes);
    if (sound) sound = parser.Parse(text->bytes, text->first_line, request);
    if (!sound) {
      const std::string where =
          file ? *file + ":" + std::to_string(text->first_line) + ": " : std::string();
      return Fail(sound.error().code, where + sound.error().message);
    }
    plans.insert(request.plan->name);
    requests.all.push_back({std::string(text->bytes), text->first_line});
  }
  if (requests.all.empty()) {
    return Fail(ErrorCode::kInvalidRequest, *file + ": there is no request in it");
  }
  requests.plan = Joined(plans);
  return requests;
}

}  // namespace rankd
