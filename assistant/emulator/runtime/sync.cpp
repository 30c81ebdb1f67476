// Barriers: __syncthreads and its reductions, named barriers, the grid barrier, fences.
#include <algorithm>

#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

void note_arrival_site(Worker& w, Barrier& barrier, uint32_t pc) {
  if (barrier.arrived == 0) barrier.pc = pc;
  else if (barrier.pc != pc && barrier.other_pc == 0) {
    barrier.other_pc = pc;
    barrier.other_thread = w.current_thread;
  }
}

void wake(Worker& w, Block& block, unsigned id) {
  for (unsigned i = 0; i < w.launch->warps_per_block; ++i) {
    Warp& warp = block.warps[i];
    uint32_t waiting = warp.at_barrier;
    if (!block.uses_only_barrier_0)
      for (uint32_t rest = warp.at_barrier; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (block.barrier_of[i * WARP_LANES + lane] != id) waiting &= ~(1u << lane);
      }
    warp.at_barrier &= ~waiting;
    warp.ready |= waiting;
  }
}

void report_divergence(Worker& w, Block& block, const Barrier& barrier, bool is_complete) {
  if (!w.launch->is_checked) return;
  unsigned threads = w.launch->threads_per_block;
  if (barrier.other_pc)
    report(w, "barrier_divergence", barrier.pc, barrier.other_pc, 0, barrier.other_thread, "threads of one block wait at different barriers");
  else if (!is_complete)
    report(w, "barrier_divergence", barrier.pc, 0, 0, 0, "only %u of %u threads can reach this barrier", barrier.arrived, threads);
  else if (&barrier == &block.barriers[GRID_BARRIER] && block.exited_threads)
    report(w, "barrier_divergence", barrier.pc, 0, 0, 0, "only %u of %u threads reach this grid barrier; the others ended without it",
           threads - block.exited_threads, threads);
  else if (block.threads_at_end && barrier.expected == 0)  // no barrier of a block waits for threads that returned early
    report(w, "barrier_divergence", barrier.pc, 0, 0, 0, "only %u of %u threads reach this barrier; the others ran past it to the end",
           threads - block.exited_threads, threads);
}

void end_phase(Worker& w, Block& block, unsigned id) {
  Barrier& barrier = block.barriers[id];
  unsigned arrived = barrier.arrived;
  int sum = barrier.predicate_sum;
  barrier = Barrier{};
  barrier.result_sum = sum;
  barrier.result_arrived = arrived;
  ++w.barrier_epoch;
  ++block.epoch;
  wake(w, block, id);
}

}  // namespace

void wait_at_barrier(unsigned id, unsigned expected, int predicate, uint32_t pc) {
  Worker& w = *worker();
  Block& block = *w.block;
  Barrier& barrier = block.barriers[id];
  note_arrival_site(w, barrier, pc);
  ++barrier.arrived;
  barrier.predicate_sum += predicate;
  barrier.expected = expected;
  if (id != 0) block.uses_only_barrier_0 = false;
  if (!block.uses_only_barrier_0) block.barrier_of[w.current_thread] = static_cast<uint8_t>(id);
  w.current->pc = pc;
  block.warps[w.warp_index].at_barrier |= 1u << w.current_thread % WARP_LANES;
  suspend();
}

bool release_barriers(Worker& w, Block& block, bool by_force) {
  unsigned alive = w.launch->threads_per_block - block.exited_threads;
  bool has_released = false;
  for (unsigned id = 0; id < NAMED_BARRIERS; ++id) {
    Barrier& barrier = block.barriers[id];
    if (barrier.arrived == 0) {
      if (block.uses_only_barrier_0) break;
      continue;
    }
    bool is_complete = barrier.arrived >= (barrier.expected ? std::min(barrier.expected, alive) : alive);
    if (!is_complete && !by_force) continue;
    report_divergence(w, block, barrier, is_complete);
    end_phase(w, block, id);
    has_released = true;
  }
  Barrier& grid = block.barriers[GRID_BARRIER];
  if (!has_released && grid.arrived && !block.waits_for_grid && (by_force || grid.arrived == alive)) {
    report_divergence(w, block, grid, grid.arrived == alive);
    block.waits_for_grid = block.is_new_at_grid = true;
  }
  return has_released;
}

void release_grid_barrier(Block& block) {
  block.waits_for_grid = false;
  Worker& w = *worker();
  end_phase(w, block, GRID_BARRIER);
}

}  // namespace emu

using namespace emu;

extern "C" {

void emu_syncthreads() {
  if (on_device()) wait_at_barrier(0, 0, 0, EMU_CALLER);
}

int emu_syncthreads_reduce(int predicate, int mode) {
  if (!on_device()) return predicate;
  wait_at_barrier(0, 0, predicate != 0, EMU_CALLER);
  const Barrier& barrier = worker()->block->barriers[0];
  if (mode == 0) return barrier.result_sum;
  return mode == 1 ? barrier.result_sum == static_cast<int>(barrier.result_arrived) : barrier.result_sum > 0;
}

void emu_note_end() {
  if (on_device()) ++worker()->block->threads_at_end;
}

void emu_barrier(int id, unsigned thread_count) {
  if (on_device()) wait_at_barrier(static_cast<unsigned>(id) % NAMED_BARRIERS, thread_count, 0, EMU_CALLER);
}

void emu_grid_sync() {
  if (!on_device()) return;
  uint32_t pc = EMU_CALLER;
  const EmuLaunch& request = *worker()->launch->request;
  if (!request.is_cooperative && !request.may_sync_grid)
    abort_launch("bad_launch", pc, 0, "grid synchronisation needs a cooperative launch (cudaLaunchCooperativeKernel)", 719);
  wait_at_barrier(GRID_BARRIER, 0, 0, pc);
}

void emu_fence(int scope) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (on_device() && worker()->launch->is_order_checked)
    record_event(reinterpret_cast<void*>(static_cast<uintptr_t>(scope)), EVENT_FENCE, 0, EMU_CALLER);
  pace_spinning(SPIN_LIKELY);  // loops that wait for another thread often fence
}

}  // extern "C"
