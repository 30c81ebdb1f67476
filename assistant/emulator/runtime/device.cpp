// Device functions without a warp or block protocol: printf, heap, clock, assertions, address spaces.
#include <cassert>
#include <cstdarg>
#include <cstdio>

#include "faults.h"
#include "memory.h"
#include "snapshots.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

using namespace emu;

namespace {
// Marks a stretch that the watchdog must not interrupt: it may hold a lock.
class InCore {
 public:
  InCore() { if (worker()) ++worker()->in_core; }
  ~InCore() { if (worker()) --worker()->in_core; }
  InCore(const InCore&) = delete;
  InCore& operator=(const InCore&) = delete;
};
}  // namespace

extern "C" {

int emu_device_printf(const char* format, ...) {
  InCore guard;
  va_list arguments;
  va_start(arguments, format);
  int written = vprintf(format, arguments);
  va_end(arguments);
  return written;
}

void* emu_device_malloc(size_t bytes) {
  InCore guard;
  return emu_malloc(bytes, EMU_DEVICE);
}

void emu_device_free(void* pointer) {
  // What the lane did before is judged while the memory is still there; lanes on other paths may have to go on first.
  for (int turn = 0; turn < 64 && on_device() && emu_thread.cursor > worker()->current->trace; ++turn) trace_is_full();
  InCore guard;
  if (pointer) emu_free(pointer);
}

uint64_t emu_clock() { return __builtin_ia32_rdtsc(); }

void emu_yield() {
  if (on_device()) yield_in_block();
}

void emu_trap() {
  if (!on_device()) __builtin_trap();
  abort_launch("trap", EMU_CALLER, 0, "__trap()", CUDA_ERROR_LAUNCH_FAILURE);
}

void emu_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (!on_device()) __assert_fail(expression, file, line, function);
  {
    InCore guard;
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function, __emu_tc.block_x, __emu_tc.block_y,
            __emu_tc.block_z, __emu_tc.thread_x, __emu_tc.thread_y, __emu_tc.thread_z, expression);
  }
  abort_launch("assertion", EMU_CALLER, 0, expression, CUDA_ERROR_ASSERT);
}

void emu_false_assumption(const char* condition) {
  if (!on_device()) return;
  InCore guard;
  Worker& w = *worker();
  report(w, "false_assumption", EMU_CALLER, 0, 0, w.current_thread, "__builtin_assume(%s) does not hold: what the kernel does is undefined", condition);
}

unsigned emu_address_space(const void* pointer) {
  constexpr unsigned GLOBAL = 1, SHARED = 2, LOCAL = 4, CONSTANT = 8;
  auto address = reinterpret_cast<uint64_t>(pointer);
  const ThreadState& t = emu_thread;
  if (in_range(address, t.shared_begin, t.shared_size)) return SHARED;
  if (in_range(address, t.stacks_begin, t.stacks_size)) return LOCAL;
  const EmuSymbol* symbol = find_symbol(address);
  if (symbol) return symbol->space == 1 ? CONSTANT | GLOBAL : GLOBAL;
  ArenaRange range = arena();
  return in_range(address, range.begin, range.size) || is_snapshot(address) ? GLOBAL : 0;
}

}  // extern "C"
