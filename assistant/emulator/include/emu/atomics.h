// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"), with their _block and _system forms.
#pragma once
#include "builtins.h"

#define EMU_ATOMIC_2(name, op, T, core, suffix)                                                                 \
  EMU_INLINE T name(T* address, T value) { return (T)emu_atomic_##op##_##suffix((core*)address, (core)value); }  \
  EMU_INLINE T name##_block(T* address, T value) { emu_note_block_scope(); return (T)emu_atomic_##op##_##suffix((core*)address, (core)value); } \
  EMU_INLINE T name##_system(T* address, T value) { return (T)emu_atomic_##op##_##suffix((core*)address, (core)value); }
#define EMU_ATOMIC_CAS(T, core, suffix)                                                                         \
  EMU_INLINE T atomicCAS(T* a, T compare, T value) { return (T)emu_atomic_cas_##suffix((core*)a, (core)compare, (core)value); } \
  EMU_INLINE T atomicCAS_block(T* a, T compare, T value) { emu_note_block_scope(); return (T)emu_atomic_cas_##suffix((core*)a, (core)compare, (core)value); } \
  EMU_INLINE T atomicCAS_system(T* a, T compare, T value) { return (T)emu_atomic_cas_##suffix((core*)a, (core)compare, (core)value); }
#define EMU_ATOMIC_ALL(T, core, suffix)                                                                         \
  EMU_ATOMIC_2(atomicAdd, add, T, core, suffix) EMU_ATOMIC_2(atomicMin, min, T, core, suffix)                    \
  EMU_ATOMIC_2(atomicMax, max, T, core, suffix) EMU_ATOMIC_2(atomicExch, exch, T, core, suffix)                  \
  EMU_ATOMIC_2(atomicAnd, and, T, core, suffix) EMU_ATOMIC_2(atomicOr, or, T, core, suffix)                      \
  EMU_ATOMIC_2(atomicXor, xor, T, core, suffix) EMU_ATOMIC_CAS(T, core, suffix)
// `and`, `or` and `xor` are alternative tokens of C++, yet as macro arguments they only meet ##, which takes their spelling.
EMU_ATOMIC_ALL(int, int32_t, s32)
EMU_ATOMIC_ALL(unsigned int, uint32_t, u32)
EMU_ATOMIC_ALL(long long, int64_t, s64)
EMU_ATOMIC_ALL(unsigned long long, uint64_t, u64)
EMU_ATOMIC_2(atomicSub, sub, int, int32_t, s32)
EMU_ATOMIC_2(atomicSub, sub, unsigned int, uint32_t, u32)
EMU_ATOMIC_2(atomicInc, inc, unsigned int, uint32_t, u32)
EMU_ATOMIC_2(atomicDec, dec, unsigned int, uint32_t, u32)
EMU_ATOMIC_2(atomicAdd, add, float, float, f32)
EMU_ATOMIC_2(atomicAdd, add, double, double, f64)
EMU_ATOMIC_2(atomicExch, exch, float, float, f32)
EMU_ATOMIC_CAS(unsigned short, uint16_t, u16)
#undef EMU_ATOMIC_ALL

EMU_INLINE float2 atomicAdd(float2* address, float2 value) {
  return float2{emu_atomic_add_f32(&address->x, value.x), emu_atomic_add_f32(&address->y, value.y)};
}
EMU_INLINE float4 atomicAdd(float4* address, float4 value) {
  return float4{emu_atomic_add_f32(&address->x, value.x), emu_atomic_add_f32(&address->y, value.y),
                emu_atomic_add_f32(&address->z, value.z), emu_atomic_add_f32(&address->w, value.w)};
}
