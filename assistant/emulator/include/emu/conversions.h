// Arithmetic and conversions with a named rounding mode, and bit casts (CUDA Math API, "Type Casting Intrinsics").
#pragma once
#include <cfenv>
#include <climits>
#include <cmath>
#include "sync.h"

// x87 is never used on x86-64, so the barrier on an SSE register keeps the operation between the two changes of mode.
#define EMU_OPAQUE(x) __asm__ volatile("" : "+x"(x))
template <class Operation> EMU_INLINE auto emu_rounded(int mode, Operation operation) {
  int before = std::fegetround();
  std::fesetround(mode);
  auto result = operation();
  EMU_OPAQUE(result);
  std::fesetround(before);
  return result;
}
#define EMU_ROUNDINGS(X) X(rn, FE_TONEAREST) X(rz, FE_TOWARDZERO) X(ru, FE_UPWARD) X(rd, FE_DOWNWARD)

#define EMU_ARITHMETIC(T, p, fma_name, sqrt_name, suffix, mode)                                                        \
  EMU_INLINE T __##p##add_##suffix(T a, T b) { EMU_OPAQUE(a); EMU_OPAQUE(b); return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return x + b; }); } \
  EMU_INLINE T __##p##sub_##suffix(T a, T b) { EMU_OPAQUE(a); EMU_OPAQUE(b); return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return x - b; }); } \
  EMU_INLINE T __##p##mul_##suffix(T a, T b) { EMU_OPAQUE(a); EMU_OPAQUE(b); return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return x * b; }); } \
  EMU_INLINE T __##p##div_##suffix(T a, T b) { EMU_OPAQUE(a); EMU_OPAQUE(b); return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return x / b; }); } \
  EMU_INLINE T __##p##rcp_##suffix(T a) { return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return (T)1 / x; }); } \
  EMU_INLINE T __##p##sqrt_##suffix(T a) { return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return sqrt_name(x); }); } \
  EMU_INLINE T fma_name##_##suffix(T a, T b, T c) { return emu_rounded(mode, [=] { T x = a; EMU_OPAQUE(x); return std::fma(x, b, c); }); }
#define EMU_DIRECTED(suffix, mode)                                                                                     \
  EMU_ARITHMETIC(float, f, __fmaf, __builtin_sqrtf, suffix, mode)                                                      \
  EMU_ARITHMETIC(double, d, __fma, __builtin_sqrt, suffix, mode)
EMU_DIRECTED(rz, FE_TOWARDZERO)
EMU_DIRECTED(ru, FE_UPWARD)
EMU_DIRECTED(rd, FE_DOWNWARD)
// To nearest is the mode of every other operation: plain arithmetic.
#define EMU_NEAREST(T, p, fma_name)                                                                                    \
  EMU_INLINE T __##p##add_rn(T a, T b) { return a + b; }                                                               \
  EMU_INLINE T __##p##sub_rn(T a, T b) { return a - b; }                                                               \
  EMU_INLINE T __##p##mul_rn(T a, T b) { return a * b; }                                                               \
  EMU_INLINE T __##p##div_rn(T a, T b) { return a / b; }                                                               \
  EMU_INLINE T __##p##rcp_rn(T a) { return (T)1 / a; }                                                                 \
  EMU_INLINE T __##p##sqrt_rn(T a) { return std::sqrt(a); }                                                            \
  EMU_INLINE T fma_name##_rn(T a, T b, T c) { return std::fma(a, b, c); }
EMU_NEAREST(float, f, __fmaf)
EMU_NEAREST(double, d, __fma)

// Floating to integer saturates; NaN gives 0 in 32 bits and the smallest value in 64 bits (PTX ISA, cvt).
template <class I> EMU_INLINE I emu_to_integer(double x, I nan_value) {
  constexpr I low = std::is_signed<I>::value ? (I)((I)1 << (sizeof(I) * 8 - 1)) : (I)0, high = (I)~low;
  if (x != x) return nan_value;
  if (x >= (double)high) return high;
  return x <= (double)low ? low : (I)x;
}
EMU_INLINE double emu_integral_rn(double x) { return std::nearbyint(x); }
EMU_INLINE double emu_integral_rz(double x) { return std::trunc(x); }
EMU_INLINE double emu_integral_ru(double x) { return std::ceil(x); }
EMU_INLINE double emu_integral_rd(double x) { return std::floor(x); }
#define EMU_FROM_FLOATING(suffix, mode)                                                                                \
  EMU_INLINE int __float2int_##suffix(float x) { return emu_to_integer<int>(emu_integral_##suffix(x), 0); }            \
  EMU_INLINE unsigned __float2uint_##suffix(float x) { return emu_to_integer<unsigned>(emu_integral_##suffix(x), 0u); } \
  EMU_INLINE long long __float2ll_##suffix(float x) { return emu_to_integer<long long>(emu_integral_##suffix(x), LLONG_MIN); } \
  EMU_INLINE unsigned long long __float2ull_##suffix(float x) { return emu_to_integer<unsigned long long>(emu_integral_##suffix(x), 1ull << 63); } \
  EMU_INLINE int __double2int_##suffix(double x) { return emu_to_integer<int>(emu_integral_##suffix(x), 0); }          \
  EMU_INLINE unsigned __double2uint_##suffix(double x) { return emu_to_integer<unsigned>(emu_integral_##suffix(x), 0u); } \
  EMU_INLINE long long __double2ll_##suffix(double x) { return emu_to_integer<long long>(emu_integral_##suffix(x), LLONG_MIN); } \
  EMU_INLINE unsigned long long __double2ull_##suffix(double x) { return emu_to_integer<unsigned long long>(emu_integral_##suffix(x), 1ull << 63); }
EMU_ROUNDINGS(EMU_FROM_FLOATING)

#define EMU_TO_FLOATING(suffix, mode)                                                                                  \
  EMU_INLINE float __double2float_##suffix(double x) { return emu_rounded(mode, [=] { double v = x; EMU_OPAQUE(v); return (float)v; }); } \
  EMU_INLINE float __int2float_##suffix(int x) { return __double2float_##suffix((double)x); }                          \
  EMU_INLINE float __uint2float_##suffix(unsigned x) { return __double2float_##suffix((double)x); }                    \
  EMU_INLINE float __ll2float_##suffix(long long x) { return emu_rounded(mode, [=] { volatile long long v = x; return (float)v; }); } \
  EMU_INLINE float __ull2float_##suffix(unsigned long long x) { return emu_rounded(mode, [=] { volatile unsigned long long v = x; return (float)v; }); } \
  EMU_INLINE double __ll2double_##suffix(long long x) { return emu_rounded(mode, [=] { volatile long long v = x; return (double)v; }); } \
  EMU_INLINE double __ull2double_##suffix(unsigned long long x) { return emu_rounded(mode, [=] { volatile unsigned long long v = x; return (double)v; }); }
EMU_ROUNDINGS(EMU_TO_FLOATING)
EMU_INLINE double __int2double_rn(int x) { return x; }
EMU_INLINE double __uint2double_rn(unsigned x) { return x; }

EMU_INLINE float __int_as_float(int x) { return emu_from_bits<float>(emu_to_bits(x)); }
EMU_INLINE float __uint_as_float(unsigned x) { return emu_from_bits<float>(emu_to_bits(x)); }
EMU_INLINE int __float_as_int(float x) { return emu_from_bits<int>(emu_to_bits(x)); }
EMU_INLINE unsigned __float_as_uint(float x) { return emu_from_bits<unsigned>(emu_to_bits(x)); }
EMU_INLINE double __longlong_as_double(long long x) { return emu_from_bits<double>(emu_to_bits(x)); }
EMU_INLINE long long __double_as_longlong(double x) { return emu_from_bits<long long>(emu_to_bits(x)); }
EMU_INLINE int __double2hiint(double x) { return (int)(emu_to_bits(x) >> 32); }
EMU_INLINE int __double2loint(double x) { return (int)emu_to_bits(x); }
EMU_INLINE double __hiloint2double(int hi, int lo) { return emu_from_bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo); }
