// The functions that g++ calls at every memory access and basic block of instrumented device code.
//
// They only append to the running lane's trace; host code, and blocks that are not counted, have no trace and return at once.
#include "memory.h"
#include "shadow.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

inline __attribute__((always_inline)) void append(void* address, unsigned kind, unsigned size_bytes, uint32_t pc) {
  Event* event = emu_thread.cursor;
  if (__builtin_expect(event == nullptr, 1)) return;
  event->pc = pc;
  event->kind = static_cast<uint16_t>(kind);
  event->size_bytes = static_cast<uint16_t>(size_bytes);
  event->address = reinterpret_cast<uint64_t>(address);
  emu_thread.cursor = ++event;
  if (__builtin_expect(event == emu_thread.limit, 0)) trace_is_full();
}

// A store that is neither to the arena nor to shared nor to local memory must be judged before it does damage.
inline __attribute__((always_inline)) void append_store(void* address, unsigned kind, unsigned size_bytes, uint32_t pc) {
  if (__builtin_expect(emu_thread.cursor == nullptr, 1)) return;
  uint64_t a = reinterpret_cast<uint64_t>(address);
  if (__builtin_expect(!in_range(a, emu_thread.arena_begin, emu_thread.arena_size), 0) &&
      !in_range(a, emu_thread.shared_begin, emu_thread.shared_size) && !in_range(a, emu_thread.stacks_begin, emu_thread.stacks_size))
    judge_foreign_store(a, pc);
  if (__builtin_expect(emu_thread.keeps_stored, 0)) {
    note_stored();
    bool is_done_before_a_switch = emu_thread.cursor + 1 != emu_thread.limit;
    if (kind == EVENT_STORE && is_done_before_a_switch) emu_thread.last_store = emu_thread.cursor;
  }
  append(address, kind, size_bytes, pc);
}

// Code written for lock-step warps marks its shared data volatile: step the lanes one access at a time. Spin loops on volatile
// global memory must let other warps run.
void pace_volatile(void* address, uint32_t pc) {
  if (!on_device()) return;
  emu_thread.worker->current->pc = pc;
  if (in_range(reinterpret_cast<uint64_t>(address), emu_thread.shared_begin, emu_thread.shared_size)) step_in_turn();
  else pace_spinning(SPIN_LIKELY);
}

// The widest element that an aggregate of so many bytes can have (its alignment divides its size); no more than a word.
unsigned element_bytes(size_t bytes) { return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }

// Aggregates aligned to less than their size arrive as a range; a GPU accesses them element by element.
void append_range(void* address, size_t bytes, bool is_store, uint32_t pc) {
  if (!emu_thread.cursor) return;
  auto* at = static_cast<char*>(address);
  unsigned size = element_bytes(bytes);
  while (reinterpret_cast<uint64_t>(at) % size) size /= 2;
  while (bytes) {
    if (is_store) append_store(at, EVENT_STORE, size, pc);
    else append(at, EVENT_LOAD, size, pc);
    emu_thread.last_store = nullptr;  // all elements are stored behind the last event
    at += size;
    bytes -= size;
  }
}

}  // namespace

void note_stored() {
  Event* store = emu_thread.last_store;
  if (!store) return;
  emu_thread.last_store = nullptr;
  const uint64_t a = store->address;
  if (in_range(a, emu_thread.shared_begin, emu_thread.shared_size) || in_range(a, emu_thread.stacks_begin, emu_thread.stacks_size)) return;
  store->address |= uint64_t{digest_stored(reinterpret_cast<const void*>(a), store->size_bytes)} << STORED_SHIFT;
}

void record_event(void* address, unsigned kind, unsigned size_bytes, uint32_t pc) {
  if ((kind & EVENT_KIND_MASK) == EVENT_ATOMIC) append_store(address, kind, size_bytes, pc);
  else append(address, kind, size_bytes, pc);
}

}  // namespace emu

using namespace emu;

#define EMU_HOOKS(n)                                                                                             \
  extern "C" void __tsan_read##n(void* a) { append(a, EVENT_LOAD, n, EMU_CALLER); }                              \
  extern "C" void __tsan_write##n(void* a) { append_store(a, EVENT_STORE, n, EMU_CALLER); }                      \
  extern "C" void __tsan_unaligned_read##n(void* a) { append_range(a, n, false, EMU_CALLER); }                   \
  extern "C" void __tsan_unaligned_write##n(void* a) { append_range(a, n, true, EMU_CALLER); }                   \
  extern "C" void __tsan_volatile_read##n(void* a) {                                                             \
    pace_volatile(a, EMU_CALLER);                                                                                            \
    append(a, EVENT_LOAD | EVENT_VOLATILE, n, EMU_CALLER);                                                       \
  }                                                                                                              \
  extern "C" void __tsan_volatile_write##n(void* a) {                                                            \
    pace_volatile(a, EMU_CALLER);                                                                                            \
    append_store(a, EVENT_STORE | EVENT_VOLATILE, n, EMU_CALLER);                                                \
  }                                                                                                              \
  extern "C" void __tsan_unaligned_volatile_read##n(void* a) { append_range(a, n, false, EMU_CALLER); }          \
  extern "C" void __tsan_unaligned_volatile_write##n(void* a) { append_range(a, n, true, EMU_CALLER); }
EMU_HOOKS(1) EMU_HOOKS(2) EMU_HOOKS(4) EMU_HOOKS(8) EMU_HOOKS(16)

extern "C" {
void __tsan_read_range(void* a, size_t n) { append_range(a, n, false, EMU_CALLER); }
void __tsan_write_range(void* a, size_t n) { append_range(a, n, true, EMU_CALLER); }
void __sanitizer_cov_trace_pc() { append(nullptr, EVENT_BASIC_BLOCK, 0, EMU_CALLER); }
void __tsan_init() { program_has_hooks = true; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** a, void*) { append_store(a, EVENT_STORE, 8, EMU_CALLER); }  // a constructor names the object's class
void __tsan_vptr_read(void**) {}
}
