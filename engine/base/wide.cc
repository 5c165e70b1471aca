#include "engine/base/wide.h"

#ifdef RANKD_HAS_WIDE
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

namespace rankd {
namespace {

VectorWidth WidthOfProcessor() {
#ifdef CPU_FEATURE_ACTIVE  // glibc 2.33: the loader has asked already
  if (CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512CD) &&
      CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL)) {
    return VectorWidth::kAvx512;
  }
  return CPU_FEATURE_ACTIVE(AVX2) ? VectorWidth::kAvx2 : VectorWidth::kAny;
#else
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return VectorWidth::kAvx512;
  }
  return __builtin_cpu_supports("avx2") ? VectorWidth::kAvx2 : VectorWidth::kAny;
#endif
}

}  // namespace

const VectorWidth kVectorWidth = WidthOfProcessor();

}  // namespace rankd
#endif
