// Complex numbers as pairs (CUDA's cuComplex interface).
#pragma once
#include "cuda_runtime.h"
typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;
#define EMU_COMPLEX(C, T, suffix, f)                                                                                    \
  EMU_INLINE T cuCreal##suffix(C z) { return z.x; }                                                                     \
  EMU_INLINE T cuCimag##suffix(C z) { return z.y; }                                                                     \
  EMU_INLINE C cuConj##suffix(C z) { return C{z.x, -z.y}; }                                                             \
  EMU_INLINE C cuCadd##suffix(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                             \
  EMU_INLINE C cuCsub##suffix(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                             \
  EMU_INLINE C cuCmul##suffix(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                     \
  EMU_INLINE T cuCabs##suffix(C z) { return hypot##f(z.x, z.y); }                                                       \
  EMU_INLINE C cuCdiv##suffix(C a, C b) {                                                                               \
    T s = fabs##f(b.x) + fabs##f(b.y), ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s, d = bx * bx + by * by;   \
    return C{(ax * bx + ay * by) / d, (ay * bx - ax * by) / d};                                                         \
  }                                                                                                                     \
  EMU_INLINE C cuCfma##suffix(C a, C b, C c) { return cuCadd##suffix(cuCmul##suffix(a, b), c); }
EMU_COMPLEX(cuFloatComplex, float, f, f)
EMU_COMPLEX(cuDoubleComplex, double, , )
#undef EMU_COMPLEX
EMU_INLINE cuFloatComplex make_cuFloatComplex(float r, float i) { return float2{r, i}; }
EMU_INLINE cuComplex make_cuComplex(float r, float i) { return float2{r, i}; }
EMU_INLINE cuDoubleComplex make_cuDoubleComplex(double r, double i) { return double2{r, i}; }
EMU_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return float2{(float)z.x, (float)z.y}; }
EMU_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return double2{z.x, z.y}; }
