// 8-bit floating point: __nv_fp8_e4m3, __nv_fp8_e5m2, their vectors and conversions (CUDA Math API, "FP8 Intrinsics").
// E4M3: bias 7, no infinities, NaN is S.1111.111, the largest value 448. E5M2: bias 15, as IEEE 754 has it, the largest value 57344
// (Micikevicius et al., "FP8 Formats for Deep Learning", 2022, table 1).
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Bits without a sign of the nearest value, ties to even, as if there were no largest exponent. `magnitude`: of a finite double.
template <int MANTISSA, int BIAS> inline uint64_t emu_fp8_rounded(uint64_t magnitude) {
  int exponent = (int)(magnitude >> 52) - 1023;
  uint64_t m = (magnitude & 0xfffffffffffffull) | (exponent > -1023 ? 1ull << 52 : 0);
  bool is_normal = exponent >= 1 - BIAS;
  int shift = 52 - MANTISSA + (is_normal ? 0 : 1 - BIAS - exponent);
  if (shift > 63) shift = 63;
  uint64_t q = m >> shift, rest = m & ((1ull << shift) - 1), tie = 1ull << (shift - 1);
  q += rest > tie || (rest == tie && (q & 1));
  return is_normal ? ((uint64_t)(exponent + BIAS - 1) << MANTISSA) + q : q;
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  uint64_t u = emu_to_bits(x), magnitude = u & 0x7fffffffffffffffull;
  unsigned sign = (unsigned)(u >> 63) << 7, largest = kind == __NV_E4M3 ? 0x7e : 0x7b, beyond = kind == __NV_E4M3 ? 0x7f : 0x7c;
  if (magnitude > 0x7ff0000000000000ull) return 0x7f;  // the one NaN that conversions give, whatever the sign
  uint64_t bits = magnitude == 0x7ff0000000000000ull ? beyond : kind == __NV_E4M3 ? emu_fp8_rounded<3, 7>(magnitude) : emu_fp8_rounded<2, 15>(magnitude);
  if (bits > largest) bits = saturation == __NV_SATFINITE ? largest : beyond;
  return (__nv_fp8_storage_t)(sign | bits);
}
EMU_INLINE float emu_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return emu_half_to_float((unsigned short)(x << 8));
  unsigned sign = (unsigned)(x & 0x80) << 24, exponent = x >> 3 & 15, mantissa = x & 7;
  if ((x & 0x7f) == 0x7f) return emu_from_bits<float>(0x7fffffffu);
  if (exponent) return emu_from_bits<float>(sign | (exponent + 120) << 23 | mantissa << 20);
  return emu_from_bits<float>(sign | emu_to_bits((float)mantissa * 0x1p-9f));
}

EMU_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_double_to_fp8(x, s, k);
}
EMU_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_double_to_fp8((float)__half(x), s, k);
}
EMU_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_double_to_fp8((float)__nv_bfloat16(x), s, k);
}
EMU_INLINE __nv_fp8x2_storage_t emu_fp8_pair(double x, double y, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x, s, k) | __nv_cvt_double_to_fp8(y, s, k) << 8);
}
EMU_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return emu_fp8_pair(v.x, v.y, s, k);
}
EMU_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return emu_fp8_pair(v.x, v.y, s, k);
}
EMU_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return emu_fp8_pair((float)__half2(v).x, (float)__half2(v).y, s, k);
}
EMU_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return emu_fp8_pair((float)__nv_bfloat162(v).x, (float)__nv_bfloat162(v).y, s, k);
}
EMU_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return __half_raw{(unsigned short)((x & 0x7f) > 0x7c ? 0x7fff : x << 8)};
  return __half(emu_fp8_to_float(x, kind));
}
EMU_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, k).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k).x};
}

// Constructors saturate to the largest finite value; conversions to short integers clamp, and NaN becomes zero.
#define EMU_FP8_FROM(T, F, K) EMU_INLINE explicit F(T v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, K)) {}
#define EMU_FP8_TO_SHORT(T, K) \
  EMU_INLINE explicit operator T() const { float v = emu_fp8_to_float(__x, K); return v != v ? (T)0 : emu_to_integer<T>(truncf(v), 0); }
#define EMU_FP8(F, F2, F4, K)                                                                                                        \
  struct __attribute__((aligned(1))) F {                                                                                             \
    __nv_fp8_storage_t __x;                                                                                                          \
    F() = default;                                                                                                                   \
    EMU_INLINE explicit F(__half v) : __x(__nv_cvt_double_to_fp8((float)v, __NV_SATFINITE, K)) {}                                    \
    EMU_INLINE explicit F(__nv_bfloat16 v) : __x(__nv_cvt_double_to_fp8((float)v, __NV_SATFINITE, K)) {}                             \
    EMU_FP8_FROM(float, F, K) EMU_FP8_FROM(double, F, K) EMU_FP8_FROM(short, F, K) EMU_FP8_FROM(unsigned short, F, K)                \
    EMU_FP8_FROM(int, F, K) EMU_FP8_FROM(unsigned, F, K) EMU_FP8_FROM(long, F, K) EMU_FP8_FROM(unsigned long, F, K)                  \
    EMU_FP8_FROM(long long, F, K) EMU_FP8_FROM(unsigned long long, F, K)                                                             \
    EMU_INLINE explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, K)); }                                  \
    EMU_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16(emu_fp8_to_float(__x, K)); }                           \
    EMU_INLINE explicit operator float() const { return emu_fp8_to_float(__x, K); }                                                  \
    EMU_INLINE explicit operator double() const { return emu_fp8_to_float(__x, K); }                                                 \
    EMU_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }                                                          \
    EMU_FP8_TO_SHORT(char, K) EMU_FP8_TO_SHORT(signed char, K) EMU_FP8_TO_SHORT(unsigned char, K)                                    \
    EMU_FP8_TO_SHORT(short, K) EMU_FP8_TO_SHORT(unsigned short, K)                                                                   \
    EMU_INLINE explicit operator int() const { return __float2int_rz(emu_fp8_to_float(__x, K)); }                                    \
    EMU_INLINE explicit operator unsigned() const { return __float2uint_rz(emu_fp8_to_float(__x, K)); }                              \
    EMU_INLINE explicit operator long() const { return __float2ll_rz(emu_fp8_to_float(__x, K)); }                                    \
    EMU_INLINE explicit operator unsigned long() const { return __float2ull_rz(emu_fp8_to_float(__x, K)); }                          \
    EMU_INLINE explicit operator long long() const { return __float2ll_rz(emu_fp8_to_float(__x, K)); }                               \
    EMU_INLINE explicit operator unsigned long long() const { return __float2ull_rz(emu_fp8_to_float(__x, K)); }                     \
  };                                                                                                                                 \
  struct __attribute__((aligned(2))) F2 {                                                                                            \
    __nv_fp8x2_storage_t __x;                                                                                                        \
    F2() = default;                                                                                                                  \
    EMU_INLINE explicit F2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, K)) {}                                     \
    EMU_INLINE explicit F2(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, K)) {}                          \
    EMU_INLINE explicit F2(float2 v) : __x(emu_fp8_pair(v.x, v.y, __NV_SATFINITE, K)) {}                                             \
    EMU_INLINE explicit F2(double2 v) : __x(emu_fp8_pair(v.x, v.y, __NV_SATFINITE, K)) {}                                            \
    EMU_INLINE explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, K)); }                             \
    EMU_INLINE explicit operator float2() const {                                                                                    \
      return float2{emu_fp8_to_float((__nv_fp8_storage_t)__x, K), emu_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), K)};              \
    }                                                                                                                                \
  };                                                                                                                                 \
  struct __attribute__((aligned(4))) F4 {                                                                                            \
    __nv_fp8x4_storage_t __x;                                                                                                        \
    F4() = default;                                                                                                                  \
    EMU_INLINE explicit F4(__half2 low, __half2 high) : __x(F2(low).__x | (unsigned)F2(high).__x << 16) {}                           \
    EMU_INLINE explicit F4(__nv_bfloat162 low, __nv_bfloat162 high) : __x(F2(low).__x | (unsigned)F2(high).__x << 16) {}             \
    EMU_INLINE explicit F4(float4 v) : __x(F2(float2{v.x, v.y}).__x | (unsigned)F2(float2{v.z, v.w}).__x << 16) {}                   \
    EMU_INLINE explicit F4(double4 v) : __x(F2(double2{v.x, v.y}).__x | (unsigned)F2(double2{v.z, v.w}).__x << 16) {}                \
    EMU_INLINE explicit operator float4() const {                                                                                    \
      auto part = [this](int shift) __attribute__((always_inline)) { return emu_fp8_to_float((__nv_fp8_storage_t)(__x >> shift), K); };          \
      return float4{part(0), part(8), part(16), part(24)};                                                                           \
    }                                                                                                                                \
  };
EMU_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
EMU_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
