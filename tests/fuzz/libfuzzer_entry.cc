// libFuzzer's entry point of one target: RANKD_FUZZ_TARGET is its function.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz.h"

// libFuzzer declares it nowhere.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rankd::fuzz::RANKD_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
