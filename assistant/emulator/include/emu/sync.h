// Barriers, fences, votes, shuffles, match and reduce (CUDA C++ Programming Guide, "C++ Language Extensions"). Every operation is a
// call into the core from an always inlined wrapper, so that it is attributed to the caller's line.
#pragma once
#include <type_traits>
#include "builtins.h"
#include <emu_promises.h>

EMU_INLINE void __syncthreads() { emu_syncthreads(); }
EMU_INLINE int __syncthreads_count(int predicate) { return emu_syncthreads_reduce(predicate != 0, 0); }
EMU_INLINE int __syncthreads_and(int predicate) { return emu_syncthreads_reduce(predicate != 0, 1); }
EMU_INLINE int __syncthreads_or(int predicate) { return emu_syncthreads_reduce(predicate != 0, 2); }
EMU_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { emu_syncwarp(mask); }
EMU_INLINE void __barrier_sync(unsigned id) { if (id == 0) emu_syncthreads(); else emu_barrier((int)id, blockDim.x * blockDim.y * blockDim.z); }
EMU_INLINE void __barrier_sync_count(unsigned id, unsigned count) { emu_barrier((int)id, count); }
EMU_INLINE void __threadfence_block() { emu_fence(0); }
EMU_INLINE void __threadfence() { emu_fence(1); }
EMU_INLINE void __threadfence_system() { emu_fence(2); }

EMU_INLINE unsigned __activemask() { return emu_activemask(); }

// mma.sync.aligned.m8n8k4 and m16n8k4 of doubles, added to what the sums were.
EMU_INLINE void emu_product_of_doubles(double& c0, double& c1, double a, double b) {
  emu_multiply_doubles(8, c0, c1, 0, 0, a, 0, b);
  c0 = emu_product_of_lane(0), c1 = emu_product_of_lane(1);
}
EMU_INLINE void emu_product_of_doubles(double& c0, double& c1, double& c2, double& c3, double a0, double a1, double b) {
  emu_multiply_doubles(16, c0, c1, c2, c3, a0, a1, b);
  c0 = emu_product_of_lane(0), c1 = emu_product_of_lane(1), c2 = emu_product_of_lane(2), c3 = emu_product_of_lane(3);
}
EMU_INLINE unsigned __ballot_sync(unsigned mask, int predicate) { return emu_vote(mask, predicate != 0, 0); }
EMU_INLINE int __all_sync(unsigned mask, int predicate) { return (int)emu_vote(mask, predicate != 0, 1); }
EMU_INLINE int __any_sync(unsigned mask, int predicate) { return (int)emu_vote(mask, predicate != 0, 2); }
EMU_INLINE int __uni_sync(unsigned mask, int predicate) { return (int)emu_vote(mask, predicate != 0, 3); }

template <class T> EMU_INLINE uint64_t emu_to_bits(T value) {
  static_assert(sizeof(T) <= 8, "warp operations take values of at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> EMU_INLINE T emu_from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
// Integers narrower than int are promoted, as they are by CUDA's overloads.
template <class T> using EmuShuffled = typename std::conditional<std::is_integral<T>::value && (sizeof(T) < 4), int, T>::type;
#define EMU_SHUFFLE(name, argument_type, mode)                                                                  \
  template <class T> EMU_INLINE EmuShuffled<T> name(unsigned mask, T value, argument_type argument, int width = 32) { \
    return emu_from_bits<EmuShuffled<T>>(emu_shuffle(mask, emu_to_bits<EmuShuffled<T>>(value), (unsigned)argument, (unsigned)width, mode)); \
  }
EMU_SHUFFLE(__shfl_sync, int, 0)
EMU_SHUFFLE(__shfl_up_sync, unsigned, 1)
EMU_SHUFFLE(__shfl_down_sync, unsigned, 2)
EMU_SHUFFLE(__shfl_xor_sync, int, 3)

template <class T> EMU_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return emu_match(mask, emu_to_bits(value), sizeof(T), nullptr);
}
template <class T> EMU_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  int all_equal = 0;
  unsigned lanes = emu_match(mask, emu_to_bits(value), sizeof(T), &all_equal);
  *predicate = all_equal;
  return all_equal ? lanes : 0u;
}
EMU_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 0); }
EMU_INLINE int __reduce_add_sync(unsigned mask, int value) { return (int)(unsigned)emu_reduce(mask, (unsigned)value, 0); }
EMU_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 1); }
EMU_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 2); }
EMU_INLINE int __reduce_min_sync(unsigned mask, int value) { return (int)(unsigned)emu_reduce(mask, (unsigned)value, 3); }
EMU_INLINE int __reduce_max_sync(unsigned mask, int value) { return (int)(unsigned)emu_reduce(mask, (unsigned)value, 4); }
EMU_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 5); }
EMU_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 6); }
EMU_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned value) { return (unsigned)emu_reduce(mask, value, 7); }

EMU_INLINE void __trap() { emu_trap(); }
EMU_INLINE void __brkpt() {}
EMU_INLINE void __prof_trigger(int) {}
// Lets the other lanes and warps run, as a spinning thread expects.
EMU_INLINE void __nanosleep(unsigned) { emu_yield(); }
EMU_INLINE long long clock64() { return (long long)emu_clock(); }
EMU_INLINE unsigned long long __globaltimer() { return emu_clock(); }
EMU_INLINE unsigned __smid() { return 0; }

template <class T> EMU_INLINE T emu_load_volatile(const T* pointer) {
  if constexpr (std::is_scalar<T>::value) return *(const volatile T*)pointer;
  else return *pointer;
}
// Cached and streaming accesses: plain accesses, as macros so that the line stays the user's. Of these only __ldg goes past the coherent
// caches (PTX ISA, ld.global.nc).
#define __ldg(pointer) (*EMU_NONCOHERENT(pointer))
#define __ldca(pointer) (*(pointer))
#define __ldcg(pointer) (*(pointer))
#define __ldcs(pointer) (*(pointer))
#define __ldlu(pointer) (*(pointer))
#define __ldcv(pointer) emu_load_volatile(pointer)  // fetched again each time (PTX ISA, ld.cv)
#define __stwb(pointer, value) ((void)(*(pointer) = (value)))
#define __stcg(pointer, value) ((void)(*(pointer) = (value)))
#define __stcs(pointer, value) ((void)(*(pointer) = (value)))
#define __stwt(pointer, value) ((void)(*(pointer) = (value)))

EMU_INLINE unsigned __isGlobal(const void* p) { return emu_address_space(p) & 1u; }
EMU_INLINE unsigned __isShared(const void* p) { return emu_address_space(p) >> 1 & 1u; }
EMU_INLINE unsigned __isLocal(const void* p) { return emu_address_space(p) >> 2 & 1u; }
EMU_INLINE unsigned __isConstant(const void* p) { return emu_address_space(p) >> 3 & 1u; }
EMU_INLINE size_t __cvta_generic_to_shared(const void* p) { return (size_t)p; }
EMU_INLINE size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
EMU_INLINE void* __cvta_shared_to_generic(size_t p) { return (void*)p; }
EMU_INLINE void* __cvta_global_to_generic(size_t p) { return (void*)p; }

// The translator points memcpy, memset, malloc and free of device code here: hooks must see the accesses, and the heap is the device's.
EMU_INLINE void* emu_device_memcpy(void* to, const void* from, size_t count) {
  char* d = (char*)to;
  const char* s = (const char*)from;
  if ((((size_t)d | (size_t)s | count) & 3) == 0)
    for (size_t i = 0; i < count; i += 4) *(unsigned*)(d + i) = *(const unsigned*)(s + i);
  else
    for (size_t i = 0; i < count; i++) d[i] = s[i];
  return to;
}
EMU_INLINE void* emu_device_memset(void* to, int value, size_t count) {
  char* d = (char*)to;
  for (size_t i = 0; i < count; i++) d[i] = (char)value;
  return to;
}
struct EmuDeviceHeap {};
inline constexpr EmuDeviceHeap emu_device_heap;
void* operator new(size_t bytes, EmuDeviceHeap) noexcept;
void* operator new[](size_t bytes, EmuDeviceHeap) noexcept;
