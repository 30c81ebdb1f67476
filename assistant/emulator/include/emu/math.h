// Mathematical functions of device code beyond the host's libm (CUDA Math API). Accuracy is libm's; the approximate intrinsics
// (`__expf`, `__sinf`, ...) are computed accurately, which is within the error bounds that CUDA documents for them.
#pragma once
#include <cmath>
#include <math.h>
#include <stdlib.h>
#include "marks.h"
#include "vector_types.h"

#define EMU_MINMAX(T, U, R)                                                \
  EMU_INLINE R min(T a, U b) { return (R)a < (R)b ? (R)a : (R)b; }         \
  EMU_INLINE R max(T a, U b) { return (R)a > (R)b ? (R)a : (R)b; }
EMU_MINMAX(int, int, int)
EMU_MINMAX(unsigned, unsigned, unsigned)
EMU_MINMAX(int, unsigned, unsigned)
EMU_MINMAX(unsigned, int, unsigned)
EMU_MINMAX(long, long, long)
EMU_MINMAX(unsigned long, unsigned long, unsigned long)
EMU_MINMAX(long, unsigned long, unsigned long)
EMU_MINMAX(unsigned long, long, unsigned long)
EMU_MINMAX(long long, long long, long long)
EMU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
EMU_MINMAX(long long, unsigned long long, unsigned long long)
EMU_MINMAX(unsigned long long, long long, unsigned long long)
#undef EMU_MINMAX
EMU_INLINE float min(float a, float b) { return fminf(a, b); }
EMU_INLINE float max(float a, float b) { return fmaxf(a, b); }
EMU_INLINE double min(double a, double b) { return fmin(a, b); }
EMU_INLINE double max(double a, double b) { return fmax(a, b); }
EMU_INLINE double min(float a, double b) { return fmin((double)a, b); }
EMU_INLINE double max(float a, double b) { return fmax((double)a, b); }
EMU_INLINE double min(double a, float b) { return fmin(a, (double)b); }
EMU_INLINE double max(double a, float b) { return fmax(a, (double)b); }
EMU_INLINE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
EMU_INLINE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
EMU_INLINE long long llmin(long long a, long long b) { return a < b ? a : b; }
EMU_INLINE long long llmax(long long a, long long b) { return a > b ? a : b; }
EMU_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
EMU_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

inline constexpr double EMU_PI = 3.14159265358979323846;
inline constexpr double EMU_SQRT1_2 = 0.70710678118654752440;

// Reduces x to (-1, 1] half turns first, so that multiples of 1/2 give exact zeros and ones.
// A call without marks, like those of libm: a branch inside is none of the line that calls it.
EMU_HOST __attribute__((noinline)) inline double emu_sinpi(double x) {
  double r = std::remainder(x, 2.0), a = std::fabs(r);
  if (a == 0.0 || a == 1.0) return std::copysign(0.0, x);
  double s = a > 0.5 ? std::sin(EMU_PI * (1.0 - a)) : std::sin(EMU_PI * a);
  return r < 0 ? -s : s;
}
EMU_HOST __attribute__((noinline)) inline double emu_cospi(double x) {
  double a = std::fabs(std::remainder(x, 2.0));
  if (a == 0.5) return 0.0;
  return a > 0.5 ? -std::cos(EMU_PI * (1.0 - a)) : std::cos(EMU_PI * a);
}
// Inverse of the standard normal distribution function: rational start (P. Acklam's form), two Halley steps with erfc.
EMU_HOST __attribute__((noinline)) inline double emu_normcdfinv(double p) {
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -HUGE_VAL : p == 1.0 ? HUGE_VAL : std::nan("");
  double q = p < 0.5 ? p : 1.0 - p, t = std::sqrt(-2.0 * std::log(q));
  double x = -(t - ((0.010328 * t + 0.802853) * t + 2.515517) / (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1.0));  // Abramowitz & Stegun 26.2.23
  for (int i = 0; i < 3; i++) {
    double e = 0.5 * std::erfc(-x * EMU_SQRT1_2) - q, u = e * std::sqrt(2.0 * EMU_PI) * std::exp(x * x / 2.0);
    x -= u / (1.0 + x * u / 2.0);
  }
  return p < 0.5 ? x : -x;
}
EMU_HOST __attribute__((noinline)) inline double emu_erfcx(double x) {
  if (x < 25.0) return std::exp(x * x) * std::erfc(x);
  double s = 1.0 / (x * x);  // Asymptotic series, Abramowitz & Stegun 7.1.23
  return (1.0 - s * (0.5 - s * (0.75 - s * 1.875))) / (x * std::sqrt(EMU_PI));
}

#define EMU_MATH_PAIR(name, double_body, float_body)                \
  EMU_INLINE double name(double x) { return double_body; }          \
  EMU_INLINE float name##f(float x) { return float_body; }
EMU_MATH_PAIR(rsqrt, 1.0 / sqrt(x), (float)(1.0 / sqrt((double)x)))
EMU_MATH_PAIR(rcbrt, 1.0 / cbrt(x), (float)(1.0 / cbrt((double)x)))
EMU_MATH_PAIR(sinpi, emu_sinpi(x), (float)emu_sinpi(x))
EMU_MATH_PAIR(cospi, emu_cospi(x), (float)emu_cospi(x))
EMU_MATH_PAIR(normcdf, 0.5 * erfc(-x * EMU_SQRT1_2), (float)(0.5 * erfc(-(double)x * EMU_SQRT1_2)))
EMU_MATH_PAIR(normcdfinv, emu_normcdfinv(x), (float)emu_normcdfinv(x))
EMU_MATH_PAIR(erfinv, emu_normcdfinv((x + 1.0) / 2.0) * EMU_SQRT1_2, (float)(emu_normcdfinv(((double)x + 1.0) / 2.0) * EMU_SQRT1_2))
EMU_MATH_PAIR(erfcinv, -emu_normcdfinv(x / 2.0) * EMU_SQRT1_2, (float)(-emu_normcdfinv((double)x / 2.0) * EMU_SQRT1_2))
EMU_MATH_PAIR(erfcx, emu_erfcx(x), (float)emu_erfcx(x))
EMU_MATH_PAIR(cyl_bessel_i0, std::cyl_bessel_i(0.0, fabs(x)), (float)std::cyl_bessel_i(0.0, fabs((double)x)))
EMU_MATH_PAIR(cyl_bessel_i1, (x < 0 ? -1 : 1) * std::cyl_bessel_i(1.0, fabs(x)), (float)((x < 0 ? -1 : 1) * std::cyl_bessel_i(1.0, fabs((double)x))))
#undef EMU_MATH_PAIR
EMU_INLINE float rsqrt(float x) { return rsqrtf(x); }
EMU_INLINE float rcbrt(float x) { return rcbrtf(x); }
EMU_INLINE float sinpi(float x) { return sinpif(x); }
EMU_INLINE float cospi(float x) { return cospif(x); }
EMU_INLINE float normcdf(float x) { return normcdff(x); }
EMU_INLINE float normcdfinv(float x) { return normcdfinvf(x); }
EMU_INLINE float erfinv(float x) { return erfinvf(x); }
EMU_INLINE float erfcinv(float x) { return erfcinvf(x); }
EMU_INLINE float erfcx(float x) { return erfcxf(x); }
EMU_INLINE float exp10(float x) { return exp10f(x); }
EMU_INLINE void sincospi(double x, double* s, double* c) { *s = emu_sinpi(x); *c = emu_cospi(x); }
EMU_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
EMU_INLINE void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
// libm's sincos is a library call: its two stores would escape the hooks.
EMU_INLINE void emu_device_sincos(double x, double* s, double* c) { double a = ::sin(x), b = ::cos(x); *s = a; *c = b; }
EMU_INLINE void emu_device_sincosf(float x, float* s, float* c) { float a = ::sinf(x), b = ::cosf(x); *s = a; *c = b; }
EMU_INLINE void sincos(float x, float* s, float* c) { emu_device_sincosf(x, s, c); }
#define EMU_NORMS(T, suffix)                                                                                      \
  EMU_INLINE T norm3d##suffix(T a, T b, T c) { return (T)sqrt((double)a * a + (double)b * b + (double)c * c); }   \
  EMU_INLINE T norm4d##suffix(T a, T b, T c, T d) { return (T)sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d); } \
  EMU_INLINE T rnorm3d##suffix(T a, T b, T c) { return (T)(1.0 / sqrt((double)a * a + (double)b * b + (double)c * c)); } \
  EMU_INLINE T rnorm4d##suffix(T a, T b, T c, T d) { return (T)(1.0 / sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d)); } \
  EMU_INLINE T rhypot##suffix(T a, T b) { return (T)(1.0 / sqrt((double)a * a + (double)b * b)); }                \
  EMU_INLINE T norm##suffix(int n, const T* p) { double s = 0; for (int i = 0; i < n; i++) s += (double)p[i] * p[i]; return (T)sqrt(s); } \
  EMU_INLINE T rnorm##suffix(int n, const T* p) { double s = 0; for (int i = 0; i < n; i++) s += (double)p[i] * p[i]; return (T)(1.0 / sqrt(s)); }
EMU_NORMS(double, )
EMU_NORMS(float, f)
#undef EMU_NORMS
EMU_INLINE float fdividef(float a, float b) { return a / b; }

EMU_INLINE float __expf(float x) { return expf(x); }
EMU_INLINE float __exp10f(float x) { return exp10f(x); }
EMU_INLINE float __logf(float x) { return logf(x); }
EMU_INLINE float __log2f(float x) { return log2f(x); }
EMU_INLINE float __log10f(float x) { return log10f(x); }
EMU_INLINE float __powf(float x, float y) { return powf(x, y); }
EMU_INLINE float __sinf(float x) { return sinf(x); }
EMU_INLINE float __cosf(float x) { return cosf(x); }
EMU_INLINE float __tanf(float x) { return tanf(x); }
EMU_INLINE float __tanhf(float x) { return tanhf(x); }
EMU_INLINE void __sincosf(float x, float* s, float* c) { emu_device_sincosf(x, s, c); }
EMU_INLINE float __fdividef(float a, float b) { return a / b; }
EMU_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }  // NaN gives 0, as documented
EMU_INLINE float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }
