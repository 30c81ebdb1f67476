// CUDA's built-in vector types and dim3, from the CUDA C++ Programming Guide, section "Built-in Vector Types" (alignments there).
#pragma once
#include <stddef.h>

#ifdef __cplusplus
#define EMU_INLINE inline __attribute__((always_inline))

#define EMU_VECTOR_TYPES(name, T, align2, align4)                                                              \
  struct name##1 { T x; };                                                                                     \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                                 \
  struct name##3 { T x, y, z; };                                                                               \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                                           \
  EMU_INLINE name##1 make_##name##1(T x) { return name##1{x}; }                                                \
  EMU_INLINE name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                                        \
  EMU_INLINE name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }                                \
  EMU_INLINE name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

#else
#define EMU_VECTOR_TYPES(name, T, align2, align4)                                                              \
  typedef struct name##1 { T x; } name##1;                                                                     \
  typedef struct __attribute__((aligned(align2))) name##2 { T x, y; } name##2;                                 \
  typedef struct name##3 { T x, y, z; } name##3;                                                               \
  typedef struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; } name##4;                           \
  static inline name##1 make_##name##1(T x) { return (name##1){x}; }                                           \
  static inline name##2 make_##name##2(T x, T y) { return (name##2){x, y}; }                                   \
  static inline name##3 make_##name##3(T x, T y, T z) { return (name##3){x, y, z}; }                           \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return (name##4){x, y, z, w}; }
#endif

EMU_VECTOR_TYPES(char, signed char, 2, 4)
EMU_VECTOR_TYPES(uchar, unsigned char, 2, 4)
EMU_VECTOR_TYPES(short, short, 4, 8)
EMU_VECTOR_TYPES(ushort, unsigned short, 4, 8)
EMU_VECTOR_TYPES(int, int, 8, 16)
EMU_VECTOR_TYPES(uint, unsigned int, 8, 16)
EMU_VECTOR_TYPES(long, long, 16, 16)
EMU_VECTOR_TYPES(ulong, unsigned long, 16, 16)
EMU_VECTOR_TYPES(longlong, long long, 16, 16)
EMU_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
EMU_VECTOR_TYPES(float, float, 8, 16)
EMU_VECTOR_TYPES(double, double, 16, 16)

#ifdef __cplusplus
// CUDA 13 spells the alignment of the 32-byte types.
#define EMU_WIDE_TYPE(name, T)                                                                                 \
  struct __attribute__((aligned(16))) name##_16a { T x, y, z, w; };                                            \
  struct __attribute__((aligned(32))) name##_32a { T x, y, z, w; };                                            \
  EMU_INLINE name##_16a make_##name##_16a(T x, T y, T z, T w) { return name##_16a{x, y, z, w}; }               \
  EMU_INLINE name##_32a make_##name##_32a(T x, T y, T z, T w) { return name##_32a{x, y, z, w}; }
EMU_WIDE_TYPE(double4, double)
EMU_WIDE_TYPE(long4, long)
EMU_WIDE_TYPE(ulong4, unsigned long)
EMU_WIDE_TYPE(longlong4, long long)
EMU_WIDE_TYPE(ulonglong4, unsigned long long)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
#else
typedef struct dim3 { unsigned int x, y, z; } dim3;
#endif
