#include "engine/base/wide.h"

#ifdef RANKD_HAS_WIDE
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

namespace rankd {
namespace {

VectorWidth WidthOfProcessor() {
#ifdef CPU_FEATURE_ACTIVE  // glibc 2.33: the loader has asked already
  const bool avx2 = CPU_FEATURE_ACTIVE(AVX2);
  // What x86-64-v4 stands for, beyond that.
  const bool v4 =
      avx2 && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(F16C) &&
      CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE) &&
      CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512CD) &&
      CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL);
#else
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2");
  const bool v4 = __builtin_cpu_supports("x86-64-v4");
#endif
  if (v4) return VectorWidth::kAvx512;
  return avx2 ? VectorWidth::kAvx2 : VectorWidth::kAny;
}

}  // namespace

const VectorWidth kVectorWidth = WidthOfProcessor();

}  // namespace rankd
#endif
