// Integer intrinsics (CUDA Math API, "Integer Intrinsics") and the per-byte and per-half-word SIMD intrinsics.
#pragma once
#include "vector_types.h"

EMU_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
EMU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
EMU_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
EMU_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
EMU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
EMU_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
EMU_INLINE unsigned emu_bit_field(unsigned x, unsigned first, unsigned count) {  // bfe.u32 (PTX ISA): both are taken as bytes
  first &= 255; count &= 255;
  unsigned shifted = first > 31 ? 0 : x >> first;
  return count > 31 ? shifted : shifted & ((1u << count) - 1);
}
EMU_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
EMU_INLINE unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
EMU_INLINE unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31) & 1u ? base : 0xffffffffu;
  int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (int i = (int)base; i >= 0 && i < 32; i += step)
    if (mask >> i & 1u && --left == 0) return (unsigned)i;
  return 0xffffffffu;
}
EMU_INLINE int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
EMU_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
EMU_INLINE int mul24(int a, int b) { return __mul24(a, b); }
EMU_INLINE unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
EMU_INLINE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
EMU_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
EMU_INLINE int mulhi(int a, int b) { return __mulhi(a, b); }
EMU_INLINE unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
EMU_INLINE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
EMU_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
EMU_INLINE unsigned __sad(int a, int b, unsigned c) { return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c; }
EMU_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
EMU_INLINE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
EMU_INLINE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
EMU_INLINE unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
EMU_INLINE unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
EMU_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
EMU_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}
EMU_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
EMU_INLINE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) { return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift); }
EMU_INLINE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) { return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift); }

// Dot products of packed bytes and half words.
EMU_INLINE int emu_byte(int x, int i) { return (signed char)(x >> 8 * i); }
EMU_INLINE unsigned emu_ubyte(unsigned x, int i) { return x >> 8 * i & 0xffu; }
EMU_INLINE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c += emu_byte(a, i) * emu_byte(b, i);
  return c;
}
EMU_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++) c += emu_ubyte(a, i) * emu_ubyte(b, i);
  return c;
}
EMU_INLINE int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
EMU_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
EMU_INLINE int __dp2a_lo(int a, int b, int c) { return c + (short)a * emu_byte(b, 0) + (short)(a >> 16) * emu_byte(b, 1); }
EMU_INLINE int __dp2a_hi(int a, int b, int c) { return c + (short)a * emu_byte(b, 2) + (short)(a >> 16) * emu_byte(b, 3); }
EMU_INLINE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return c + (a & 0xffffu) * emu_ubyte(b, 0) + (a >> 16) * emu_ubyte(b, 1); }
EMU_INLINE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return c + (a & 0xffffu) * emu_ubyte(b, 2) + (a >> 16) * emu_ubyte(b, 3); }

// SIMD intrinsics: name2 on two half words, name4 on four bytes. S and U are the signed and unsigned lane types.
#define EMU_SIMD_LANES(name, count, U, S, expression)                                \
  EMU_INLINE unsigned name(unsigned a, unsigned b) {                                 \
    unsigned result = 0;                                                             \
    for (int i = 0; i < count; i++) {                                                \
      int shift = i * (32 / count);                                                  \
      U ua = (U)(a >> shift), ub = (U)(b >> shift);                                  \
      S sa = (S)ua, sb = (S)ub;                                                      \
      (void)sa; (void)sb;                                                            \
      result |= (unsigned)(U)(expression) << shift;                                  \
    }                                                                                \
    return result;                                                                   \
  }
#define EMU_SIMD(name, expression)                                                   \
  EMU_SIMD_LANES(name##2, 2, unsigned short, short, expression)                      \
  EMU_SIMD_LANES(name##4, 4, unsigned char, signed char, expression)
template <class T> EMU_INLINE T emu_saturate(int x, int low, int high) { return (T)(x < low ? low : x > high ? high : x); }
#define EMU_S_LOW (sizeof(sa) == 1 ? -128 : -32768)
#define EMU_S_HIGH (sizeof(sa) == 1 ? 127 : 32767)
#define EMU_U_HIGH (sizeof(ua) == 1 ? 255 : 65535)
EMU_SIMD(__vadd, ua + ub)
EMU_SIMD(__vsub, ua - ub)
EMU_SIMD(__vaddss, emu_saturate<int>(sa + sb, EMU_S_LOW, EMU_S_HIGH))
EMU_SIMD(__vaddus, emu_saturate<int>(ua + ub, 0, EMU_U_HIGH))
EMU_SIMD(__vsubss, emu_saturate<int>(sa - sb, EMU_S_LOW, EMU_S_HIGH))
EMU_SIMD(__vsubus, emu_saturate<int>(ua - ub, 0, EMU_U_HIGH))
EMU_SIMD(__vavgs, (sa + sb + ((sa + sb) >= 0)) >> 1)
EMU_SIMD(__vavgu, (ua + ub + 1) >> 1)
EMU_SIMD(__vhaddu, (ua + ub) >> 1)
EMU_SIMD(__vabsdiffs, sa > sb ? sa - sb : sb - sa)
EMU_SIMD(__vabsdiffu, ua > ub ? ua - ub : ub - ua)
EMU_SIMD(__vmaxs, sa > sb ? sa : sb)
EMU_SIMD(__vmaxu, ua > ub ? ua : ub)
EMU_SIMD(__vmins, sa < sb ? sa : sb)
EMU_SIMD(__vminu, ua < ub ? ua : ub)
#define EMU_SIMD_COMPARE(suffix, condition)                                          \
  EMU_SIMD(__vcmp##suffix, (condition) ? -1 : 0)                                     \
  EMU_SIMD(__vset##suffix, (condition) ? 1 : 0)
EMU_SIMD_COMPARE(eq, ua == ub)
EMU_SIMD_COMPARE(ne, ua != ub)
EMU_SIMD_COMPARE(ges, sa >= sb)
EMU_SIMD_COMPARE(geu, ua >= ub)
EMU_SIMD_COMPARE(gts, sa > sb)
EMU_SIMD_COMPARE(gtu, ua > ub)
EMU_SIMD_COMPARE(les, sa <= sb)
EMU_SIMD_COMPARE(leu, ua <= ub)
EMU_SIMD_COMPARE(lts, sa < sb)
EMU_SIMD_COMPARE(ltu, ua < ub)
EMU_INLINE unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
EMU_INLINE unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
EMU_INLINE unsigned __vnegss2(unsigned a) { return __vsubss2(0, a); }
EMU_INLINE unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }
EMU_INLINE unsigned __vabs2(unsigned a) { return __vabsdiffs2(a, 0); }
EMU_INLINE unsigned __vabs4(unsigned a) { return __vabsdiffs4(a, 0); }
EMU_INLINE unsigned __vabsss2(unsigned a) { return __vmaxs2(a, __vnegss2(a)); }
EMU_INLINE unsigned __vabsss4(unsigned a) { return __vmaxs4(a, __vnegss4(a)); }
EMU_INLINE unsigned emu_lane_sum(unsigned x, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) sum += x >> i * (32 / count) & (count == 4 ? 0xffu : 0xffffu);
  return sum;
}
EMU_INLINE unsigned __vsads2(unsigned a, unsigned b) { return emu_lane_sum(__vabsdiffs2(a, b), 2); }
EMU_INLINE unsigned __vsads4(unsigned a, unsigned b) { return emu_lane_sum(__vabsdiffs4(a, b), 4); }
EMU_INLINE unsigned __vsadu2(unsigned a, unsigned b) { return emu_lane_sum(__vabsdiffu2(a, b), 2); }
EMU_INLINE unsigned __vsadu4(unsigned a, unsigned b) { return emu_lane_sum(__vabsdiffu4(a, b), 4); }

// DPX-style fused forms that need no hardware.
EMU_INLINE int __vimax3_s32(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }
EMU_INLINE int __vimin3_s32(int a, int b, int c) { int m = a < b ? a : b; return m < c ? m : c; }
EMU_INLINE unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { unsigned m = a > b ? a : b; return m > c ? m : c; }
EMU_INLINE unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { unsigned m = a < b ? a : b; return m < c ? m : c; }
EMU_INLINE int __viaddmax_s32(int a, int b, int c) { int s = (int)((unsigned)a + (unsigned)b); return s > c ? s : c; }
EMU_INLINE int __viaddmin_s32(int a, int b, int c) { int s = (int)((unsigned)a + (unsigned)b); return s < c ? s : c; }
EMU_INLINE int __vimax_s32_relu(int a, int b) { int m = a > b ? a : b; return m > 0 ? m : 0; }
