// What half precision and bfloat16 have in common: rounding from double, and the operators and intrinsics that both types get.
// Every operation is computed in a wider type and rounded once, to nearest even (IEEE 754; for one operation on 11-bit or 8-bit
// significands the float or double result never rounds twice differently; a fused multiply-add is first rounded to odd).
#pragma once
#include "atomics.h"
#include "conversions.h"
#include "math.h"
#include "sync.h"

// The nearest value with MANTISSA stored bits and the given exponent bias, as bits.
template <int MANTISSA, int BIAS> inline unsigned short emu_narrow(double x, int mode) {
  constexpr unsigned INFINITE = ((2u * BIAS + 1u) << MANTISSA), NOT_A_NUMBER = 0x7fff;
  uint64_t u = emu_to_bits(x), magnitude = u & 0x7fffffffffffffffull;
  unsigned sign = (unsigned)(u >> 63);
  if (magnitude > 0x7ff0000000000000ull) return NOT_A_NUMBER;
  if (magnitude == 0x7ff0000000000000ull) return (unsigned short)(sign << 15 | INFINITE);
  int exponent = (int)(magnitude >> 52) - 1023;
  uint64_t m = (magnitude & 0xfffffffffffffull) | (exponent > -1023 ? 1ull << 52 : 0);
  bool is_normal = exponent >= 1 - BIAS;
  int shift = 52 - MANTISSA + (is_normal ? 0 : 1 - BIAS - exponent);
  if (shift > 63) shift = 63;
  uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1), tie = 1ull << (shift - 1);
  bool up = mode == FE_TONEAREST ? rest > tie || (rest == tie && (q & 1)) : rest && (mode == FE_UPWARD ? !sign : mode == FE_DOWNWARD && sign);
  q += up;
  uint64_t bits = is_normal ? ((uint64_t)(exponent + BIAS - 1) << MANTISSA) + q : q;
  bool to_zero = mode == FE_TOWARDZERO || (mode == FE_UPWARD && sign) || (mode == FE_DOWNWARD && !sign);
  if (bits >= INFINITE) bits = to_zero ? INFINITE - 1 : INFINITE;
  return (unsigned short)(sign << 15 | bits);
}
// a * b + c with its last bit odd when inexact, so that a second rounding cannot err. a * b is exact in double.
inline double emu_fma_to_odd(double a, double b, double c) {
  double p = a * b, sum = p + c, back = sum - p;
  double rest = (p - (sum - back)) + (c - back);
  uint64_t bits = emu_to_bits(sum);
  if (rest == 0 || !std::isfinite(sum) || (bits & 1)) return sum;
  return emu_from_bits<double>(((rest > 0) == (sum > 0)) ? bits + 1 : bits - 1);
}

#define EMU_SMALL_FLOAT_OPERATORS(H, H2)                                                                             \
  EMU_INLINE H operator+(H a, H b) { return H((float)a + (float)b); }                                                \
  EMU_INLINE H operator-(H a, H b) { return H((float)a - (float)b); }                                                \
  EMU_INLINE H operator*(H a, H b) { return H((float)a * (float)b); }                                                \
  EMU_INLINE H operator/(H a, H b) { return H((float)a / (float)b); }                                                \
  EMU_INLINE H operator+(H a) { return a; }                                                                          \
  EMU_INLINE H operator-(H a) { return H::from_bits(a.bits() ^ 0x8000u); }                                           \
  EMU_INLINE H& operator+=(H& a, H b) { return a = a + b; }                                                          \
  EMU_INLINE H& operator-=(H& a, H b) { return a = a - b; }                                                          \
  EMU_INLINE H& operator*=(H& a, H b) { return a = a * b; }                                                          \
  EMU_INLINE H& operator/=(H& a, H b) { return a = a / b; }                                                          \
  EMU_INLINE H& operator++(H& a) { return a = a + H(1.0f); }                                                         \
  EMU_INLINE H& operator--(H& a) { return a = a - H(1.0f); }                                                         \
  EMU_INLINE H operator++(H& a, int) { H before = a; a = a + H(1.0f); return before; }                               \
  EMU_INLINE H operator--(H& a, int) { H before = a; a = a - H(1.0f); return before; }                               \
  EMU_INLINE bool operator==(H a, H b) { return (float)a == (float)b; }                                              \
  EMU_INLINE bool operator!=(H a, H b) { return (float)a != (float)b; }                                              \
  EMU_INLINE bool operator<(H a, H b) { return (float)a < (float)b; }                                                \
  EMU_INLINE bool operator>(H a, H b) { return (float)a > (float)b; }                                                \
  EMU_INLINE bool operator<=(H a, H b) { return (float)a <= (float)b; }                                              \
  EMU_INLINE bool operator>=(H a, H b) { return (float)a >= (float)b; }                                              \
  EMU_INLINE H2 operator+(H2 a, H2 b) { return H2(a.x + b.x, a.y + b.y); }                                           \
  EMU_INLINE H2 operator-(H2 a, H2 b) { return H2(a.x - b.x, a.y - b.y); }                                           \
  EMU_INLINE H2 operator*(H2 a, H2 b) { return H2(a.x * b.x, a.y * b.y); }                                           \
  EMU_INLINE H2 operator/(H2 a, H2 b) { return H2(a.x / b.x, a.y / b.y); }                                           \
  EMU_INLINE H2 operator-(H2 a) { return H2(-a.x, -a.y); }                                                           \
  EMU_INLINE H2& operator+=(H2& a, H2 b) { return a = a + b; }                                                       \
  EMU_INLINE H2& operator-=(H2& a, H2 b) { return a = a - b; }                                                       \
  EMU_INLINE H2& operator*=(H2& a, H2 b) { return a = a * b; }                                                       \
  EMU_INLINE H2& operator/=(H2& a, H2 b) { return a = a / b; }                                                       \
  EMU_INLINE bool operator==(H2 a, H2 b) { return a.x == b.x && a.y == b.y; }                                        \
  EMU_INLINE bool operator!=(H2 a, H2 b) { return a.x != b.x && a.y != b.y; }                                        \
  EMU_INLINE bool operator<(H2 a, H2 b) { return a.x < b.x && a.y < b.y; }                                           \
  EMU_INLINE bool operator>(H2 a, H2 b) { return a.x > b.x && a.y > b.y; }

// One intrinsic on H and, lane by lane, on H2.
#define EMU_SMALL_UNARY(H, H2, name, name2, expression)                       \
  EMU_INLINE H name(H a) { float x = (float)a; (void)x; return expression; }  \
  EMU_INLINE H2 name2(H2 a) { return H2(name(a.x), name(a.y)); }
#define EMU_SMALL_BINARY(H, H2, name, name2, expression)                      \
  EMU_INLINE H name(H a, H b) { return expression; }                          \
  EMU_INLINE H2 name2(H2 a, H2 b) { return H2(name(a.x, b.x), name(a.y, b.y)); }
#define EMU_SMALL_COMPARE(H, H2, op, expression)                                                              \
  EMU_INLINE bool __h##op(H a, H b) { float x = (float)a, y = (float)b; return expression; }                  \
  EMU_INLINE bool __h##op##u(H a, H b) { float x = (float)a, y = (float)b; return x != x || y != y || (expression); } \
  EMU_INLINE H2 __h##op##2(H2 a, H2 b) { return H2(H(__h##op(a.x, b.x) ? 1.0f : 0.0f), H(__h##op(a.y, b.y) ? 1.0f : 0.0f)); } \
  EMU_INLINE H2 __h##op##u2(H2 a, H2 b) { return H2(H(__h##op##u(a.x, b.x) ? 1.0f : 0.0f), H(__h##op##u(a.y, b.y) ? 1.0f : 0.0f)); } \
  EMU_INLINE bool __hb##op##2(H2 a, H2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }                  \
  EMU_INLINE bool __hb##op##u2(H2 a, H2 b) { return __h##op##u(a.x, b.x) && __h##op##u(a.y, b.y); }           \
  EMU_INLINE unsigned __h##op##2_mask(H2 a, H2 b) { return (__h##op(a.x, b.x) ? 0xffffu : 0u) | (__h##op(a.y, b.y) ? 0xffff0000u : 0u); }
#define EMU_SMALL_FLOAT_INTRINSICS(H, H2)                                                                     \
  EMU_SMALL_BINARY(H, H2, __hadd, __hadd2, a + b)                                                             \
  EMU_SMALL_BINARY(H, H2, __hsub, __hsub2, a - b)                                                             \
  EMU_SMALL_BINARY(H, H2, __hmul, __hmul2, a * b)                                                             \
  EMU_SMALL_BINARY(H, H2, __hdiv, __h2div, a / b)                                                             \
  EMU_SMALL_BINARY(H, H2, __hadd_rn, __hadd2_rn, a + b)                                                       \
  EMU_SMALL_BINARY(H, H2, __hsub_rn, __hsub2_rn, a - b)                                                       \
  EMU_SMALL_BINARY(H, H2, __hmul_rn, __hmul2_rn, a * b)                                                       \
  EMU_SMALL_BINARY(H, H2, __hadd_sat, __hadd2_sat, H(__saturatef((float)a + (float)b)))                       \
  EMU_SMALL_BINARY(H, H2, __hsub_sat, __hsub2_sat, H(__saturatef((float)a - (float)b)))                       \
  EMU_SMALL_BINARY(H, H2, __hmul_sat, __hmul2_sat, H(__saturatef((float)a * (float)b)))                       \
  EMU_SMALL_BINARY(H, H2, __hmax, __hmax2, H(fmaxf((float)a, (float)b)))                                      \
  EMU_SMALL_BINARY(H, H2, __hmin, __hmin2, H(fminf((float)a, (float)b)))                                      \
  EMU_SMALL_BINARY(H, H2, __hmax_nan, __hmax2_nan, (float)a != (float)a ? a : (float)b != (float)b ? b : __hmax(a, b)) \
  EMU_SMALL_BINARY(H, H2, __hmin_nan, __hmin2_nan, (float)a != (float)a ? a : (float)b != (float)b ? b : __hmin(a, b)) \
  EMU_INLINE H __hfma(H a, H b, H c) { return H(emu_fma_to_odd((float)a, (float)b, (float)c)); }              \
  EMU_INLINE H2 __hfma2(H2 a, H2 b, H2 c) { return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }        \
  EMU_INLINE H __hfma_sat(H a, H b, H c) { return H(__saturatef((float)__hfma(a, b, c))); }                   \
  EMU_INLINE H2 __hfma2_sat(H2 a, H2 b, H2 c) { return H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
  EMU_INLINE H __hfma_relu(H a, H b, H c) { H r = __hfma(a, b, c); return (float)r > 0.0f || (float)r != (float)r ? r : H(0.0f); } \
  EMU_INLINE H2 __hfma2_relu(H2 a, H2 b, H2 c) { return H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
  EMU_SMALL_UNARY(H, H2, __hneg, __hneg2, -a)                                                                 \
  EMU_SMALL_UNARY(H, H2, __habs, __habs2, H::from_bits(a.bits() & 0x7fffu))                                   \
  EMU_SMALL_UNARY(H, H2, hsqrt, h2sqrt, H(sqrtf(x)))                                                          \
  EMU_SMALL_UNARY(H, H2, hrsqrt, h2rsqrt, H(1.0 / sqrt((double)x)))                                           \
  EMU_SMALL_UNARY(H, H2, hrcp, h2rcp, H(1.0f / x))                                                            \
  EMU_SMALL_UNARY(H, H2, hexp, h2exp, H(exp((double)x)))                                                      \
  EMU_SMALL_UNARY(H, H2, hexp2, h2exp2, H(exp2((double)x)))                                                   \
  EMU_SMALL_UNARY(H, H2, hexp10, h2exp10, H(exp10((double)x)))                                                \
  EMU_SMALL_UNARY(H, H2, hlog, h2log, H(log((double)x)))                                                      \
  EMU_SMALL_UNARY(H, H2, hlog2, h2log2, H(log2((double)x)))                                                   \
  EMU_SMALL_UNARY(H, H2, hlog10, h2log10, H(log10((double)x)))                                                \
  EMU_SMALL_UNARY(H, H2, hsin, h2sin, H(sin((double)x)))                                                      \
  EMU_SMALL_UNARY(H, H2, hcos, h2cos, H(cos((double)x)))                                                      \
  EMU_SMALL_UNARY(H, H2, htanh, h2tanh, H(tanh((double)x)))                                                   \
  EMU_SMALL_UNARY(H, H2, hceil, h2ceil, H(ceilf(x)))                                                          \
  EMU_SMALL_UNARY(H, H2, hfloor, h2floor, H(floorf(x)))                                                       \
  EMU_SMALL_UNARY(H, H2, htrunc, h2trunc, H(truncf(x)))                                                       \
  EMU_SMALL_UNARY(H, H2, hrint, h2rint, H(rintf(x)))                                                          \
  EMU_SMALL_COMPARE(H, H2, eq, x == y)                                                                        \
  EMU_SMALL_COMPARE(H, H2, ne, x != y && x == x && y == y)                                                    \
  EMU_SMALL_COMPARE(H, H2, lt, x < y)                                                                         \
  EMU_SMALL_COMPARE(H, H2, le, x <= y)                                                                        \
  EMU_SMALL_COMPARE(H, H2, gt, x > y)                                                                         \
  EMU_SMALL_COMPARE(H, H2, ge, x >= y)                                                                        \
  EMU_INLINE bool __hisnan(H a) { return (float)a != (float)a; }                                              \
  EMU_INLINE int __hisinf(H a) { return std::isinf((float)a) ? ((float)a > 0 ? 1 : -1) : 0; }                 \
  EMU_INLINE H2 __hisnan2(H2 a) { return H2(H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)); }

// Conversions, whose names carry the type: `n` is half or bfloat16.
#define EMU_SMALL_FROM(H, n, suffix, mode)                                                                    \
  EMU_INLINE H __float2##n##_##suffix(float x) { return H::rounded(x, mode); }                                \
  EMU_INLINE H __int2##n##_##suffix(int x) { return H::rounded(x, mode); }                                    \
  EMU_INLINE H __uint2##n##_##suffix(unsigned x) { return H::rounded(x, mode); }                              \
  EMU_INLINE H __short2##n##_##suffix(short x) { return H::rounded(x, mode); }                                \
  EMU_INLINE H __ushort2##n##_##suffix(unsigned short x) { return H::rounded(x, mode); }                      \
  EMU_INLINE H __ll2##n##_##suffix(long long x) { return H::rounded((double)x, mode); }                       \
  EMU_INLINE H __ull2##n##_##suffix(unsigned long long x) { return H::rounded((double)x, mode); }             \
  EMU_INLINE int __##n##2int_##suffix(H x) { return __float2int_##suffix((float)x); }                         \
  EMU_INLINE unsigned __##n##2uint_##suffix(H x) { return __float2uint_##suffix((float)x); }                  \
  EMU_INLINE short __##n##2short_##suffix(H x) { return emu_to_integer<short>(emu_integral_##suffix((float)x), 0); } \
  EMU_INLINE unsigned short __##n##2ushort_##suffix(H x) { return emu_to_integer<unsigned short>(emu_integral_##suffix((float)x), 0); } \
  EMU_INLINE long long __##n##2ll_##suffix(H x) { return __float2ll_##suffix((float)x); }                     \
  EMU_INLINE unsigned long long __##n##2ull_##suffix(H x) { return __float2ull_##suffix((float)x); }

// A 16-bit type of MANTISSA stored bits and the pair of it.
#define EMU_SMALL_FLOAT_TYPES(H, H2, Raw, Raw2, MANTISSA, BIAS, to_float)                                     \
  struct Raw { unsigned short x; };                                                                           \
  struct __attribute__((aligned(4))) Raw2 { unsigned short x, y; };                                           \
  struct __attribute__((aligned(2))) H {                                                                      \
    unsigned short __x;                                                                                       \
    H() = default;                                                                                            \
    EMU_INLINE H(const Raw& raw) : __x(raw.x) {}                                                              \
    EMU_INLINE H(float v) : __x(emu_narrow<MANTISSA, BIAS>(v, FE_TONEAREST)) {}                               \
    EMU_INLINE H(double v) : __x(emu_narrow<MANTISSA, BIAS>(v, FE_TONEAREST)) {}                              \
    EMU_INLINE H(int v) : H((double)v) {}                                                                     \
    EMU_INLINE H(unsigned v) : H((double)v) {}                                                                \
    EMU_INLINE H(short v) : H((double)v) {}                                                                   \
    EMU_INLINE H(unsigned short v) : H((double)v) {}                                                          \
    EMU_INLINE H(long v) : H((double)v) {}                                                                    \
    EMU_INLINE H(unsigned long v) : H((double)v) {}                                                           \
    EMU_INLINE H(long long v) : H((double)v) {}                                                               \
    EMU_INLINE H(unsigned long long v) : H((double)v) {}                                                      \
    EMU_INLINE static H from_bits(unsigned bits) { H h; h.__x = (unsigned short)bits; return h; }             \
    EMU_INLINE static H rounded(double v, int mode) { return from_bits(emu_narrow<MANTISSA, BIAS>(v, mode)); } \
    EMU_INLINE unsigned bits() const { return __x; }                                                          \
    EMU_INLINE operator float() const { return to_float(__x); }                                               \
    EMU_INLINE operator Raw() const { return Raw{__x}; }                                                      \
  };                                                                                                          \
  struct __attribute__((aligned(4))) H2 {                                                                     \
    H x, y;                                                                                                   \
    H2() = default;                                                                                           \
    EMU_INLINE H2(H a, H b) : x(a), y(b) {}                                                                   \
    EMU_INLINE H2(const Raw2& raw) : x(H::from_bits(raw.x)), y(H::from_bits(raw.y)) {}                        \
    EMU_INLINE operator Raw2() const { return Raw2{x.__x, y.__x}; }                                           \
  };
