#include "stacks.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include "options.h"
#include "trace.h"

// System V x86-64: rbp, rbx, r12-r15 are callee-saved; the return address is on the stack. It is jumped to, as the processor would
// predict the target of `ret` from the calls of the fiber that is left.
__asm__(R"(
.text
.globl emu_switch
.type emu_switch,@function
emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size emu_switch, .-emu_switch
)");

namespace emu {
namespace {
constexpr size_t GUARD = 4096;
// Stacks for one resident block of the largest size, and the runner. Cooperative launches keep several blocks alive.
constexpr size_t STACKS_PER_REGION = 64 * 1024;
// Stack tops differ by multiples of a cache line, so that equal frames of many fibers do not compete for one cache set.
constexpr size_t COLOURS = 61, COLOUR_BYTES = 64;
constexpr int GUARD_INSTALL = 102;  // MADV_GUARD_INSTALL, Linux 6.13: splits no mapping, as a change of protection does for each stack

void guard(void* place) {
  if (madvise(place, GUARD, GUARD_INSTALL)) mprotect(place, GUARD, PROT_NONE);
}
}  // namespace

void StackPool::reserve() {
  if (!begin_) reserve_region();
}

void StackPool::reserve_region() {
  size_ = options().stack_bytes * STACKS_PER_REGION;
  void* place = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    fprintf(stderr, "emulator: cannot reserve address space for thread stacks; raise the limit on virtual memory (ulimit -v)\n");
    exit(3);
  }
  begin_ = reinterpret_cast<uint64_t>(place);
}

char* StackPool::take() {
  if (!free_.empty()) {
    char* top = free_.back();
    free_.pop_back();
    return top;
  }
  if (used_ == STACKS_PER_REGION) {
    fprintf(stderr, "emulator: more than %zu suspended threads on one core\n", STACKS_PER_REGION);
    exit(3);
  }
  uint64_t bottom = begin_ + options().stack_bytes * used_;
  guard(reinterpret_cast<void*>(bottom));
  char* top = reinterpret_cast<char*>(bottom + options().stack_bytes - (used_ % COLOURS) * COLOUR_BYTES);
  ++used_;
  all_.push_back(top);
  return top;
}

void StackPool::reset() { free_ = all_; }

void* fresh_context(char* top, void (*entry)()) {
  auto** frame = reinterpret_cast<void**>(reinterpret_cast<uint64_t>(top) & ~uint64_t{63});
  *--frame = nullptr;                                // entry() sees the alignment of a called function
  *--frame = reinterpret_cast<void*>(entry);
  for (int saved_register = 0; saved_register < 6; ++saved_register) *--frame = nullptr;
  return frame;
}

}  // namespace emu
