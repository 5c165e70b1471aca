// What fuzz targets share. A target takes any bytes and ends the process (Require, RANKD_CHECK, a
// sanitizer) when the engine does what it must never do. libFuzzer calls it in `make fuzz`,
// replay.cc in `make test`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace rankd::fuzz {

// The targets. What they read, and how they read it, stands in the file of each.
void FuzzPlans(std::string_view bytes);
void FuzzDeclarations(std::string_view bytes);
void FuzzRequests(std::string_view bytes);
void FuzzExpressions(std::string_view bytes);
void FuzzExpressionTrees(std::string_view bytes);
void FuzzReplies(std::string_view bytes);
void FuzzSchedules(std::string_view bytes);

/// Prints `what` on stderr and aborts.
[[noreturn]] void Broken(const std::string& what);

/// Broken with `what`, unless `holds`.
inline void Require(bool holds, const std::string& what) {
  if (!holds) Broken(what);
}

/// Random numbers that the bytes decide, so that an input does the same each time.
std::mt19937 RandomOf(std::string_view bytes);

/// Decisions taken from the bytes one after the other; all zero when they are used up.
class Decisions {
 public:
  explicit Decisions(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const char first = bytes_.front();
    bytes_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// 0 … n-1, n at most 256.
  std::size_t Below(std::size_t n) { return Byte() % n; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace rankd::fuzz
