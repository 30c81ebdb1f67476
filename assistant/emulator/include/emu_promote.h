// Included before a source whose `float` and half precision are computed as `double`: what its intrinsics are called on then.
#pragma once
#include "cuda_runtime.h"
EMU_INLINE double emu_promoted_divide(double a, double b) { return a / b; }
EMU_INLINE double emu_promoted_saturate(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }
EMU_INLINE double emu_promoted_same(double x) { return x; }
#define EMU_PROMOTED_BINARY(name, name2, expression)                         \
  EMU_INLINE double name(double a, double b) { return expression; }          \
  EMU_INLINE double2 name2(double2 a, double2 b) { return double2{name(a.x, b.x), name(a.y, b.y)}; }
EMU_PROMOTED_BINARY(__hadd, __hadd2, a + b)
EMU_PROMOTED_BINARY(__hsub, __hsub2, a - b)
EMU_PROMOTED_BINARY(__hmul, __hmul2, a * b)
EMU_PROMOTED_BINARY(__hdiv, __h2div, a / b)
EMU_PROMOTED_BINARY(__hmax, __hmax2, fmax(a, b))
EMU_PROMOTED_BINARY(__hmin, __hmin2, fmin(a, b))
EMU_INLINE double __hfma(double a, double b, double c) { return fma(a, b, c); }
EMU_INLINE double2 __hfma2(double2 a, double2 b, double2 c) { return double2{fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)}; }
EMU_INLINE double __hneg(double a) { return -a; }
EMU_INLINE double __habs(double a) { return fabs(a); }
EMU_INLINE bool __hgt(double a, double b) { return a > b; }
EMU_INLINE bool __hge(double a, double b) { return a >= b; }
EMU_INLINE bool __hlt(double a, double b) { return a < b; }
EMU_INLINE bool __hle(double a, double b) { return a <= b; }
EMU_INLINE bool __heq(double a, double b) { return a == b; }
EMU_INLINE double hexp(double a) { return exp(a); }
EMU_INLINE double hlog(double a) { return log(a); }
EMU_INLINE double hsqrt(double a) { return sqrt(a); }
EMU_INLINE double hrsqrt(double a) { return 1.0 / sqrt(a); }
EMU_INLINE double htanh(double a) { return tanh(a); }
EMU_INLINE double __low2half(double2 v) { return v.x; }
EMU_INLINE double __high2half(double2 v) { return v.y; }
EMU_INLINE double __low2float(double2 v) { return v.x; }
EMU_INLINE double __high2float(double2 v) { return v.y; }
EMU_INLINE double2 __half2half2(double v) { return double2{v, v}; }
EMU_INLINE double2 __halves2half2(double a, double b) { return double2{a, b}; }
EMU_INLINE double2 __float2half2_rn(double v) { return double2{v, v}; }
EMU_INLINE double2 __floats2half2_rn(double a, double b) { return double2{a, b}; }
EMU_INLINE double2 __half22float2(double2 v) { return v; }
EMU_INLINE double2 __float22half2_rn(double2 v) { return v; }
// Templates, so that a source's own operators on (promoted) float2 come first.
#define EMU_PROMOTED_OPERATOR(op)                                                                                   \
  template <class T, class = typename std::enable_if<std::is_same<T, double2>::value>::type> EMU_INLINE T operator op(T a, T b) { \
    return T{a.x op b.x, a.y op b.y};                                                                              \
  }
EMU_PROMOTED_OPERATOR(+)
EMU_PROMOTED_OPERATOR(-)
EMU_PROMOTED_OPERATOR(*)
