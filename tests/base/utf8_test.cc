#include "engine/base/utf8.h"

#include <string>

#include <doctest/doctest.h>

namespace rankd {
namespace {

TEST_CASE("well-formed UTF-8 is told from what is not, at any offset") {
  const std::string kGood[] = {"",
                               "abc",
                               "é",
                               "\xE2\x82\xAC",
                               "\xF0\x9F\x98\x80",
                               "\xF4\x8F\xBF\xBF",
                               "\xED\x9F\xBF",
                               std::string("\0", 1)};
  const std::string kBad[] = {"\x80",
                              "\xC0\x80",
                              "\xC1\xBF",
                              "\xC3",
                              "\xE0\x80\x80",
                              "\xED\xA0\x80",
                              "\xF0\x80\x80\x80",
                              "\xF4\x90\x80\x80",
                              "\xF5\x80\x80\x80",
                              "\xE2\x82",
                              "\xFF",
                              "\xE2\x28\xA1"};
  for (std::size_t pad = 0; pad < 20; ++pad) {
    const std::string before(pad, 'x');
    for (const std::string& text : kGood) CHECK(IsValidUtf8(before + text + before));
    for (const std::string& text : kBad) {
      CHECK_FALSE(IsValidUtf8(before + text));
      CHECK_FALSE(IsValidUtf8(before + text + before));
    }
  }
}

TEST_CASE("bytes that begin nothing well-formed are replaced one by one") {
  CHECK(ReplaceInvalidUtf8("") == "");
  CHECK(ReplaceInvalidUtf8("plain, été") == "plain, été");
  CHECK(ReplaceInvalidUtf8("\xFFx\xE2\x28\xA1") == "\xEF\xBF\xBDx\xEF\xBF\xBD(\xEF\xBF\xBD");
  CHECK(ReplaceInvalidUtf8("cut \xE2\x82") == "cut \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("length is in code points") {
  CHECK(CodePointCount("") == 0);
  CHECK(CodePointCount("été") == 3);
  CHECK(CodePointCount("\xF0\x9F\x98\x80!") == 2);
}

}  // namespace
}  // namespace rankd
