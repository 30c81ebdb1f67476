#include "faults.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>

#include "memory.h"
#include "worker.h"

namespace emu {
namespace {

constexpr size_t SIGNAL_STACK_BYTES = 128 << 10;
int interrupt_signal() { return SIGRTMIN + 3; }

struct sigaction previous_action[65];

// Leaves the lane for good: the scheduler sees the aborted launch and abandons every fiber. A switch of contexts does this also
// from a signal handler, as the handlers block no signal.
[[noreturn]] void escape(Worker& w, int error) {
  w.launch->end_at(w.block->linear, error);
  w.current->trace_end = emu_thread.cursor;
  void* abandoned;
  emu_switch(&abandoned, w.scheduler_context);
  __builtin_unreachable();
}

// The place of the faulting access: the hook that ran just before it, or without hooks the instruction itself.
uint32_t place(const Worker& w, uint64_t instruction) {
  const Event* last = emu_thread.cursor;
  if (last && last > w.current->trace) return last[-1].pc;
  return static_cast<uint32_t>(instruction + 1);
}

struct Verdict { const char* kind; const char* message; int error; };

Verdict judge_fault(const Worker& w, int signal, uint64_t address) {
  if (signal == SIGFPE) return {"division_by_zero", "integer division by zero; its result is undefined on a GPU", CUDA_ERROR_LAUNCH_FAILURE};
  if (signal == SIGILL) return {"trap", "the compiler placed a trap here: undefined behaviour", CUDA_ERROR_LAUNCH_FAILURE};
  if (in_range(address, w.stacks.begin(), w.stacks.size()))
    return {"stack_overflow", "the thread needs more local memory than a GPU thread has (512 KiB)", CUDA_ERROR_ILLEGAL_ADDRESS};
  ArenaRange range = arena();
  const Allocation* near = in_range(address, range.begin, range.size) ? nearest(address) : nullptr;
  if (near && !near->is_live && address < near->end) return {"use_after_free", "access to device memory that was freed", CUDA_ERROR_ILLEGAL_ADDRESS};
  if (near && address < near->mapped_end + GUARD_BYTES) return {"out_of_bounds", "access behind an allocation", CUDA_ERROR_ILLEGAL_ADDRESS};
  return {"wild_pointer", "access through a pointer to nothing", CUDA_ERROR_ILLEGAL_ADDRESS};
}

void forward(int signal) {
  sigaction(signal, &previous_action[signal], nullptr);
  raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  Worker* w = worker();
  if (!w || !w->current) return forward(signal);
  auto instruction = static_cast<uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  auto address = signal == SIGFPE || signal == SIGILL ? 0 : reinterpret_cast<uint64_t>(info->si_addr);
  Verdict verdict = judge_fault(*w, signal, address);
  report_end(*w, verdict.kind, place(*w, instruction), address, w->current_thread, "%s", verdict.message);
  escape(*w, verdict.error);
}

// The place of a running lane: with hooks, the one before may be all that is known while a hook itself runs.
uint32_t current_place(const Worker& w, uint64_t instruction) {
  bool has_event = emu_thread.cursor && emu_thread.cursor > w.current->trace;
  return !has_event && program_has_hooks && w.current->pc ? w.current->pc : place(w, instruction);
}

void on_interrupt(int, siginfo_t*, void* context) {
  Worker* w = worker();
  if (!w || !w->current || w->in_core) return;
  auto instruction = static_cast<uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  ProgramImage image = program_image();
  if (!in_range(instruction, image.begin, image.text_end - image.begin)) return;  // inside a library that may hold a lock
  report(*w, "timeout", current_place(*w, instruction), 0, 0, w->current_thread, "%s", TIMEOUT_MESSAGE);
  escape(*w, CUDA_ERROR_LAUNCH_TIMEOUT);
}

}  // namespace

void install_fault_handlers() {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, &previous_action[signal]);
  action.sa_sigaction = on_interrupt;
  sigaction(interrupt_signal(), &action, nullptr);
}

void use_alternate_stack() {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = malloc(SIGNAL_STACK_BYTES);
  stack.ss_size = SIGNAL_STACK_BYTES;
  sigaltstack(&stack, nullptr);
}

void interrupt(Worker& w) { pthread_kill(w.thread, interrupt_signal()); }

void abort_launch(const char* kind, uint32_t pc, uint64_t address, const char* message, int error) {
  Worker& w = *worker();
  report_end(w, kind, pc, address, w.current_thread, "%s", message);
  escape(w, error);
}

void judge_foreign_store(uint64_t address, uint32_t pc) {
  static const ProgramImage image = program_image();
  if (in_range(address, image.data_begin, image.end - image.data_begin) || is_registered_host(address)) return;
  if (is_mapped(address))
    abort_launch("host_pointer", pc, address, "write to host memory, which a kernel cannot reach on most systems; nothing was written", CUDA_ERROR_ILLEGAL_ADDRESS);
  abort_launch("wild_pointer", pc, address, "write through a pointer to nothing", CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace emu
