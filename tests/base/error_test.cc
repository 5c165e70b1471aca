#include "engine/base/error.h"

#include <doctest/doctest.h>

#include "engine/base/result.h"

namespace rankd {
namespace {

TEST_CASE("every code has a name of its own that reads back") {
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    const ErrorCode code = static_cast<ErrorCode>(i);
    CHECK(CodeFromName(CodeName(code)) == code);
  }
  CHECK(CodeName(ErrorCode::kBadData) == "bad_data");
  CHECK(CodeName(ErrorCode::kInternal) == "internal");
  CHECK_FALSE(CodeFromName("no_such_code").has_value());
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(ErrorCode::kInvalidParam, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  RANKD_TRY(const int half, Half(number));
  RANKD_TRY(Half(half));
  RANKD_TRY(int quarter, Half(half));
  return quarter;
}

TEST_CASE("RANKD_TRY hands errors outward and values inward") {
  CHECK(*Quarter(8) == 2);
  CHECK(Quarter(6).error().message == "odd");
  CHECK(Quarter(5).error().code == ErrorCode::kInvalidParam);
}

}  // namespace
}  // namespace rankd
