#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>

namespace rankd::fuzz {

void Broken(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

std::mt19937 RandomOf(std::string_view bytes) {
  std::uint32_t hash = 2166136261;  // FNV-1a: the same on every machine
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return std::mt19937(hash);
}

}  // namespace rankd::fuzz
