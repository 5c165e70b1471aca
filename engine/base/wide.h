// Kernels for the processor at hand.
#pragma once

/// Before a function with a loop over rows: it is compiled for any x86-64, once more for one with
/// AVX2 and once more for one with AVX-512, and the loader takes what the processor has. Results
/// are the same bits: the loops do on four or eight rows at once what they did on one, and nothing
/// is contracted or reassociated. What the function calls is compiled into it. Sanitizers cannot
/// look into the loader's choice and get the plain one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(RANKD_SANITIZED)
#define RANKD_WIDE [[gnu::target_clones("default", "avx2", "arch=x86-64-v4"), gnu::flatten]]
#else
#define RANKD_WIDE
#endif
