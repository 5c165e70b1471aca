// Kernels for the processor at hand.
#pragma once

/// RANKD_WIDE(result, name, (parameters), (arguments)) { body }: a function with a loop over rows.
/// It is compiled for any x86-64, once more for one with AVX2 and once more for one with AVX-512,
/// with all that it calls, and runs as the processor can. Results are the same bits: the loops do
/// on four or eight rows at once what they did on one, and nothing is contracted or reassociated.
/// Sanitizers get the plain one.
///
/// Not gnu::target_clones: its choice asks the processor a dozen times before main, and each is an
/// exit to the hypervisor in a virtual machine: a hundredth of a short run.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(RANKD_SANITIZED)
#define RANKD_HAS_WIDE

namespace rankd {

enum class VectorWidth { kAny, kAvx2, kAvx512 };

/// What processor and system have. Set before main.
extern const VectorWidth kVectorWidth;

}  // namespace rankd

#define RANKD_WIDE(result, name, parameters, arguments)                                        \
  static inline result name##Plainly parameters;                                               \
  [[gnu::target("arch=x86-64-v4"), gnu::flatten]] static result name##Avx512 parameters {      \
    return name##Plainly arguments;                                                            \
  }                                                                                            \
  [[gnu::target("avx2"), gnu::flatten]] static result name##Avx2 parameters {                  \
    return name##Plainly arguments;                                                            \
  }                                                                                            \
  [[gnu::flatten]] static result name##Any parameters { return name##Plainly arguments; }      \
  result name parameters {                                                                     \
    if (::rankd::kVectorWidth == ::rankd::VectorWidth::kAvx512) return name##Avx512 arguments; \
    if (::rankd::kVectorWidth == ::rankd::VectorWidth::kAvx2) return name##Avx2 arguments;     \
    return name##Any arguments;                                                                \
  }                                                                                            \
  static inline result name##Plainly parameters
#else
#define RANKD_WIDE(result, name, parameters, arguments) result name parameters
#endif
