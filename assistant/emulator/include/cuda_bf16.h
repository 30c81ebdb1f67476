// bfloat16: __nv_bfloat16, __nv_bfloat162, their operators and intrinsics (CUDA Math API, "Bfloat16 Precision Intrinsics").
#pragma once
#include "cuda_runtime.h"
#include "emu/small_floats.h"

EMU_INLINE float emu_bfloat16_to_float(unsigned short h) { return emu_from_bits<float>((uint64_t)h << 16); }
EMU_SMALL_FLOAT_TYPES(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw, 7, 127, emu_bfloat16_to_float)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
EMU_SMALL_FLOAT_OPERATORS(__nv_bfloat16, __nv_bfloat162)
EMU_SMALL_FLOAT_INTRINSICS(__nv_bfloat16, __nv_bfloat162)
#define EMU_BFLOAT16_FROM(suffix, mode) EMU_SMALL_FROM(__nv_bfloat16, bfloat16, suffix, mode)
EMU_ROUNDINGS(EMU_BFLOAT16_FROM)

EMU_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
EMU_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
EMU_INLINE float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
EMU_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x)); }
EMU_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y)); }
EMU_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
EMU_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return float2{(float)v.x, (float)v.y}; }
EMU_INLINE float __low2float(__nv_bfloat162 v) { return (float)v.x; }
EMU_INLINE float __high2float(__nv_bfloat162 v) { return (float)v.y; }
EMU_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
EMU_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
EMU_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
EMU_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
EMU_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
EMU_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
EMU_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
EMU_INLINE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
EMU_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.__x; }
EMU_INLINE short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.__x; }
EMU_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16::from_bits(v); }
EMU_INLINE __nv_bfloat16 __short_as_bfloat16(short v) { return __nv_bfloat16::from_bits((unsigned short)v); }
EMU_INLINE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  return __nv_bfloat16::from_bits(emu_atomic_add_bf16(address, value.__x, 1));
}
EMU_INLINE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  uint32_t before = emu_atomic_add_bf16(address, value.x.__x | (uint32_t)value.y.__x << 16, 2);
  return __nv_bfloat162(__nv_bfloat16::from_bits(before), __nv_bfloat16::from_bits(before >> 16));
}
