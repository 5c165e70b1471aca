// Response lines, written once into one buffer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/data/rowset.h"
#include "engine/wire/request.h"

namespace rankd {

/// Appends `{"request_id":…,"candidates":[…]}` and a newline: the rows of `outputs` one after the
/// other. Fields in alphabetical order, nulls left out, no spaces. `request` as a successful Parse
/// left it.
void AppendSuccess(std::string& out, const Request& request, std::span<const RowSet> outputs);

/// Appends `{"request_id":…,"error":{"code":…,"message":…[,"node":…,"op":…]}}` and a newline.
/// Texts of the error need not be valid UTF-8: what is not stands as U+FFFD.
void AppendFailure(std::string& out, std::string_view id_json, const Error& error);

}  // namespace rankd
