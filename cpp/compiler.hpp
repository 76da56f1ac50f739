// Macros for differences between compilers. This header must not define functions, since files that are compiled for one
// kind of processor include it, too (see isbn/products.hpp).
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define BISTRO_INLINE inline __attribute__((always_inline))
#define BISTRO_INLINE_LAMBDA __attribute__((always_inline))
#define BISTRO_FUSED_FLOATS(x, y, z) __builtin_fmaf(x, y, z)
#else
#define BISTRO_INLINE __forceinline
#define BISTRO_INLINE_LAMBDA
#endif

// Is this file compiled for registers of 256 or 512 bits with fused multiply-add? Visual C++ implies fused multiply-add.
#if defined(__FMA__) || defined(_MSC_VER)
#if defined(__AVX2__)
#define BISTRO_FILE_FOR_AVX2
#endif
#if defined(__AVX512F__)
#define BISTRO_FILE_FOR_AVX512
#endif
#endif
