// CUDA's atomic functions: one recorded event at the caller, then the operation on host memory.
#include <cstring>

#include "small_floats.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

inline __attribute__((always_inline)) void arrive(void* address, unsigned size_bytes, uint32_t pc, unsigned flags = 0) {
  if (!on_device()) return;
  Lane& lane = *emu_thread.worker->current;
  lane.pc = pc;
  record_event(address, EVENT_ATOMIC | flags | lane.atomic_flags, size_bytes, pc);
  lane.atomic_flags = 0;
  pace_spinning(flags & EVENT_COMPARE_AND_SWAP ? SPIN_LIKELY : SPIN_UNLIKELY);
}

// Replaces *p by f(*p) atomically; returns the old value.
template <class T, class F>
T update(T* p, F f) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, f(old), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}

template <float (*widen)(uint16_t), uint16_t (*narrow)(float)>
uint16_t add_bits(uint16_t a, uint16_t b) { return narrow(widen(a) + widen(b)); }

template <uint16_t (*add)(uint16_t, uint16_t)>
uint32_t add_packed(void* p, uint32_t bits, int lanes) {
  auto low = [](uint32_t v) { return static_cast<uint16_t>(v); };
  auto high = [](uint32_t v) { return static_cast<uint16_t>(v >> 16); };
  if (lanes == 1) return update(static_cast<uint16_t*>(p), [&](uint16_t old) { return add(old, low(bits)); });
  return update(static_cast<uint32_t*>(p), [&](uint32_t old) {
    return static_cast<uint32_t>(add(high(old), high(bits))) << 16 | add(low(old), low(bits));
  });
}

}  // namespace
}  // namespace emu

using namespace emu;

#define EMU_DEFINE_INTEGER(T, suffix)                                                                                            \
  T emu_atomic_add_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }  \
  T emu_atomic_sub_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }  \
  T emu_atomic_and_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }  \
  T emu_atomic_or_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }    \
  T emu_atomic_xor_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }  \
  T emu_atomic_exch_##suffix(T* p, T v) { arrive(p, sizeof(T), EMU_CALLER); return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL); } \
  T emu_atomic_min_##suffix(T* p, T v) {                                                                                         \
    arrive(p, sizeof(T), EMU_CALLER);                                                                                            \
    return update(p, [v](T old) { return v < old ? v : old; });                                                                  \
  }                                                                                                                              \
  T emu_atomic_max_##suffix(T* p, T v) {                                                                                         \
    arrive(p, sizeof(T), EMU_CALLER);                                                                                            \
    return update(p, [v](T old) { return v > old ? v : old; });                                                                  \
  }                                                                                                                              \
  T emu_atomic_cas_##suffix(T* p, T c, T v) {                                                                                    \
    arrive(p, sizeof(T), EMU_CALLER, EVENT_COMPARE_AND_SWAP);                                                                    \
    __atomic_compare_exchange_n(p, &c, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);                                            \
    return c;                                                                                                                    \
  }

extern "C" {
void emu_note_block_scope() {
  if (on_device()) emu_thread.worker->current->atomic_flags |= EVENT_BLOCK_SCOPE;
}
void emu_note_unread() {
  if (on_device()) emu_thread.worker->current->atomic_flags |= EVENT_UNREAD;
}
EMU_DEFINE_INTEGER(int32_t, s32)
EMU_DEFINE_INTEGER(uint32_t, u32)
EMU_DEFINE_INTEGER(int64_t, s64)
EMU_DEFINE_INTEGER(uint64_t, u64)

uint16_t emu_atomic_cas_u16(uint16_t* p, uint16_t c, uint16_t v) {
  arrive(p, 2, EMU_CALLER, EVENT_COMPARE_AND_SWAP);
  __atomic_compare_exchange_n(p, &c, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return c;
}
uint32_t emu_atomic_inc_u32(uint32_t* p, uint32_t limit) {
  arrive(p, 4, EMU_CALLER);
  return update(p, [limit](uint32_t old) { return old >= limit ? 0 : old + 1; });
}
uint32_t emu_atomic_dec_u32(uint32_t* p, uint32_t limit) {
  arrive(p, 4, EMU_CALLER);
  return update(p, [limit](uint32_t old) { return old == 0 || old > limit ? limit : old - 1; });
}
float emu_atomic_add_f32(float* p, float v) {
  arrive(p, 4, EMU_CALLER);
  auto* bits = reinterpret_cast<uint32_t*>(p);
  return bits_as<float>(update(bits, [v](uint32_t old) { return bits_as<uint32_t>(bits_as<float>(old) + v); }));
}
double emu_atomic_add_f64(double* p, double v) {
  arrive(p, 8, EMU_CALLER);
  auto* bits = reinterpret_cast<uint64_t*>(p);
  return bits_as<double>(update(bits, [v](uint64_t old) { return bits_as<uint64_t>(bits_as<double>(old) + v); }));
}
float emu_atomic_exch_f32(float* p, float v) {
  arrive(p, 4, EMU_CALLER);
  return bits_as<float>(__atomic_exchange_n(reinterpret_cast<uint32_t*>(p), bits_as<uint32_t>(v), __ATOMIC_ACQ_REL));
}
uint32_t emu_atomic_add_f16(void* p, uint32_t bits, int lanes) {
  arrive(p, static_cast<unsigned>(2 * lanes), EMU_CALLER);
  return add_packed<add_bits<half_to_float, float_to_half>>(p, bits, lanes);
}
uint32_t emu_atomic_add_bf16(void* p, uint32_t bits, int lanes) {
  arrive(p, static_cast<unsigned>(2 * lanes), EMU_CALLER);
  return add_packed<add_bits<bfloat_to_float, float_to_bfloat>>(p, bits, lanes);
}
}
