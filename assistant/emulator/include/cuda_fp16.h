// Half precision: __half, __half2, their operators and intrinsics (CUDA Math API, "Half Precision Intrinsics").
#pragma once
#include "cuda_runtime.h"
#include "emu/small_floats.h"

EMU_INLINE float emu_half_to_float(unsigned short h) {
  unsigned sign = (unsigned)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  if (exponent == 31) return emu_from_bits<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent) return emu_from_bits<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float tiny = (float)mantissa * 0x1p-24f;
  return sign ? -tiny : tiny;
}
EMU_SMALL_FLOAT_TYPES(__half, __half2, __half_raw, __half2_raw, 10, 15, emu_half_to_float)
typedef __half half;
typedef __half nv_half;
typedef __half2 half2;
typedef __half2 nv_half2;
EMU_SMALL_FLOAT_OPERATORS(__half, __half2)
EMU_SMALL_FLOAT_INTRINSICS(__half, __half2)
#define EMU_HALF_FROM(suffix, mode) EMU_SMALL_FROM(__half, half, suffix, mode)
EMU_ROUNDINGS(EMU_HALF_FROM)

EMU_INLINE __half __float2half(float x) { return __half(x); }
EMU_INLINE __half __double2half(double x) { return __half(x); }
EMU_INLINE float __half2float(__half x) { return (float)x; }
EMU_INLINE __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
EMU_INLINE __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
EMU_INLINE __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
EMU_INLINE float2 __half22float2(__half2 v) { return float2{(float)v.x, (float)v.y}; }
EMU_INLINE float __low2float(__half2 v) { return (float)v.x; }
EMU_INLINE float __high2float(__half2 v) { return (float)v.y; }
EMU_INLINE __half __low2half(__half2 v) { return v.x; }
EMU_INLINE __half __high2half(__half2 v) { return v.y; }
EMU_INLINE __half2 __half2half2(__half v) { return __half2(v, v); }
EMU_INLINE __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
EMU_INLINE __half2 make_half2(__half x, __half y) { return __half2(x, y); }
EMU_INLINE __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
EMU_INLINE __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
EMU_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
EMU_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
EMU_INLINE __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
EMU_INLINE short __half_as_short(__half v) { return (short)v.__x; }
EMU_INLINE unsigned short __half_as_ushort(__half v) { return v.__x; }
EMU_INLINE __half __short_as_half(short v) { return __half::from_bits((unsigned short)v); }
EMU_INLINE __half __ushort_as_half(unsigned short v) { return __half::from_bits(v); }
EMU_INLINE __half atomicAdd(__half* address, __half value) { return __half::from_bits(emu_atomic_add_f16(address, value.__x, 1)); }
EMU_INLINE __half2 atomicAdd(__half2* address, __half2 value) {
  uint32_t before = emu_atomic_add_f16(address, value.x.__x | (uint32_t)value.y.__x << 16, 2);
  return __half2(__half::from_bits(before), __half::from_bits(before >> 16));
}
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00)
#define CUDART_INF_FP16 __ushort_as_half(0x7C00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFF)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFF)
