// Response lines, written once into one buffer.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/data/rowset.h"
#include "engine/wire/request.h"

namespace rankd {

/// What a traced response carries besides.
struct ResponseTrace {
  std::string_view json;               ///< The trace object.
  std::chrono::nanoseconds elapsed{};  ///< From admission to the answer.
};

/// Appends `{"request_id":…,"candidates":[…][,"trace":{…}]}` and a newline: the rows of `outputs`
/// one after the other. Fields in alphabetical order, nulls left out, no spaces. `request` as a
/// successful Parse left it; `trace` may be nullptr.
void AppendSuccess(std::string& out, const Request& request, std::span<const RowSet> outputs,
                   const ResponseTrace* trace = nullptr);

/// Appends `{"request_id":…,"error":{"code":…,"message":…[,"node":…,"op":…][,"elapsed_ms":…]}
/// [,"trace":{…}]}` and a newline; the last two when traced. Texts of the error need not be valid
/// UTF-8: what is not stands as U+FFFD.
void AppendFailure(std::string& out, std::string_view id_json, const Error& error,
                   const ResponseTrace* trace = nullptr);

}  // namespace rankd
