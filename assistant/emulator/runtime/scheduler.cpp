// Runs the threads of one block.
//
// Fresh lanes of a warp are run one after another as plain calls on one fiber, the runner. A lane that must wait keeps that
// fiber, and the next fresh lane starts on a new one; so a kernel that never synchronises costs one call a thread, and one that
// does costs one switch a wait. Switches go from lane to lane; the scheduler's own context is used once a warp.
#include <algorithm>

#include "faults.h"
#include "worker.h"

namespace emu {
namespace {

// How long a lane may repeat operations that spin loops are made of before the other lanes of its warp, and then other warps,
// get their turn. Leaving the warp ends the alignment of its traces early, so that is for lanes that very likely do spin.
constexpr unsigned SPINS_BETWEEN_TURNS = 1024, SPINS_IN_WARP = 16 * 1024, SPINS_ONCE_KNOWN = 64;
constexpr unsigned POLLING_TRACES = 8;       // full traces of loads of one address, some thousands, before a lane is taken to wait
constexpr size_t CACHE_LINE = 64;
constexpr unsigned ROUNDS_BEFORE_PARKING = 16;   // of spinning without progress, before other blocks get their turn

inline uint32_t bit(unsigned lane) { return 1u << lane; }
inline unsigned lowest(uint32_t set) { return static_cast<unsigned>(__builtin_ctz(set)); }
inline unsigned highest(uint32_t set) { return 31 - static_cast<unsigned>(__builtin_clz(set)); }
// Whether the launch has ended for the current block: a fault of its own or of a lower block, or time is up.
inline bool is_stopped(const Worker& w) { return w.launch->end.load(std::memory_order_relaxed) <= w.block_end; }
inline Warp& current_warp(Worker& w) { return w.block->warps[w.warp_index]; }
inline Lane& lane_of(Worker& w, unsigned lane) { return w.block->lanes[thread_index(w, lane)]; }

// Inlined, as what follows: threads may switch every few dozen instructions.
inline __attribute__((always_inline)) void enter_lane(Worker& w, unsigned lane) {
  Lane& l = lane_of(w, lane);
  w.current = &l;
  w.current_thread = thread_index(w, lane);
  EmuThreadContext& at = __emu_tc;
  at.thread_x = l.thread_id.x;
  at.thread_y = l.thread_id.y;
  at.thread_z = l.thread_id.z;
  at.lane = lane;
  emu_thread.cursor = l.trace_end;
  emu_thread.limit = l.trace + TRACE_EVENTS;
  emu_thread.last_store = nullptr;
}

inline __attribute__((always_inline)) void leave_lane(Worker& w) {
  if (__builtin_expect(emu_thread.last_store != nullptr, 0)) note_stored();
  if (emu_thread.cursor > w.current->trace) w.current->pc = emu_thread.cursor[-1].pc;
  w.current->trace_end = emu_thread.cursor;
  emu_thread.cursor = nullptr;
}

// The next ready lane after the current one, in turn: lock-step code depends on the order.
inline unsigned next_ready(const Worker& w, uint32_t ready) {
  unsigned current = w.current_thread % WARP_LANES;
  if (w.reverses_order) {
    uint32_t below = ready & (bit(current) - 1);
    return below ? highest(below) : highest(ready);
  }
  uint32_t above = ready & ~(bit(current) | (bit(current) - 1));
  return above ? lowest(above) : lowest(ready);
}

void runner_main();

// What to run next in the current warp; the scheduler when it has nothing more to run.
inline __attribute__((always_inline)) void* next_in_warp(Worker& w) {
  Warp& warp = current_warp(w);
  if (warp.fresh) {
    w.runner_stack = w.stacks.take();
    return fresh_context(w.runner_stack, runner_main);
  }
  uint32_t ready = warp.ready & ~warp.full;
  if (!ready) return w.scheduler_context;
  unsigned lane = next_ready(w, ready);
  warp.ready &= ~bit(lane);
  enter_lane(w, lane);
  // Most often the neighbour is next: its stack is on a page and in cache lines of its own.
  const char* neighbour = static_cast<const char*>(w.current[1].stack_pointer);
  __builtin_prefetch(neighbour);
  __builtin_prefetch(neighbour + CACHE_LINE);
  return w.current->stack_pointer;
}

// For fibers, to which the scheduler has switched. Itself, it would come to where it was before, as its context is saved by the switch; and
// another worker may stop the launch at any time, between any two looks at that.
inline __attribute__((always_inline)) void* next_context(Worker& w) { return is_stopped(w) ? w.scheduler_context : next_in_warp(w); }

void start_lane(Worker& w, unsigned lane) {
  Lane& l = lane_of(w, lane);
  l.stack = nullptr;
  l.pc = 0;
  l.spins = l.spins_in_turn = 0;
  if (__builtin_expect(l.copies != nullptr, 0)) l.copies->forget();
  l.thread_id = w.thread_ids[thread_index(w, lane)];
  l.local_top = reinterpret_cast<uint64_t>(w.runner_stack);
  l.trace = w.block->is_counted ? &w.events[lane * TRACE_STRIDE] : nullptr;
  l.trace_end = l.trace;
  enter_lane(w, lane);
}

void end_lane(Worker& w) {
  leave_lane(w);
  Lane& l = *w.current;
  current_warp(w).exited |= bit(w.current_thread % WARP_LANES);
  ++w.block->exited_threads;
  if (l.stack) w.runner_stack = l.stack;  // this fiber was the lane's own; it may start fresh lanes again
  l.stack = nullptr;
}

void runner_main() {
  Worker& w = *worker();
  const EmuLaunch& request = *w.launch->request;
  for (;;) {
    Warp& warp = current_warp(w);
    if (!warp.fresh || is_stopped(w)) break;
    unsigned lane = w.reverses_order ? highest(warp.fresh) : lowest(warp.fresh);
    warp.fresh &= ~bit(lane);
    start_lane(w, lane);
    request.invoke(request.function, request.arguments);
    end_lane(w);
  }
  w.stacks.give(w.runner_stack);  // nothing is built on it before the switch: no lane of this warp is fresh
  w.runner_stack = nullptr;
  void* finished;
  emu_switch(&finished, next_context(w));
  __builtin_unreachable();
}

void run_warp(Worker& w, unsigned index) {
  w.warp_index = index;
  __emu_tc.warp = index;
  Warp& warp = current_warp(w);
  warp.ready |= warp.yielded;
  warp.yielded = 0;
  if (warp.exited == warp.all) return;
  bool has_run = false;
  for (;;) {
    if (warp.fresh || (warp.ready & ~warp.full)) {
      w.current_thread = thread_index(w, w.reverses_order ? 0 : WARP_LANES - 1);
      emu_switch(&w.scheduler_context, next_in_warp(w));
      w.current = nullptr;
      emu_thread.cursor = nullptr;
      has_run = true;
    }
    if (is_stopped(w)) break;
    if (warp.full) {
      uint32_t before = warp.full;
      align_traces(w, false);
      if (warp.full == before) align_traces(w, true);
      continue;
    }
    if (complete_arrived_operations(w)) continue;
    if (warp.fresh || warp.ready) continue;
    if (warp.in_operation && complete_stuck_operations(w)) continue;
    break;
  }
  if (has_run && w.block->is_counted) align_traces(w, true);
}

bool any_yielded(const Worker& w, const Block& block) {
  for (unsigned i = 0; i < w.launch->warps_per_block; ++i)
    if (block.warps[i].yielded) return true;
  return false;
}

void run_all_warps(Worker& w) {
  unsigned count = w.launch->warps_per_block;
  for (unsigned i = 0; i < count; ++i) {
    run_warp(w, w.reverses_order ? count - 1 - i : i);
    if (is_stopped(w)) return;
  }
}

}  // namespace

void suspend() {
  Worker& w = *worker();
  Lane& self = *w.current;
  leave_lane(w);
  if (!self.stack) {
    self.stack = w.runner_stack;
    w.runner_stack = nullptr;
  }
  w.current = nullptr;
  void* next = next_context(w);
  if (w.current == &self) return;  // its own turn again
  emu_switch(&self.stack_pointer, next);
}

void yield_in_warp() {
  Worker& w = *worker();
  current_warp(w).ready |= bit(w.current_thread % WARP_LANES);
  suspend();
}

void yield_in_block() {
  Worker& w = *worker();
  current_warp(w).yielded |= bit(w.current_thread % WARP_LANES);
  suspend();
}

void pace_spinning(unsigned weight) {
  Worker* w = worker();
  if (!w || !w->current) return;
  w->current->spins += weight;
  w->current->spins_in_turn += weight;
  bool is_spinning = w->current->spins >= SPINS_IN_WARP;
  if (w->current->spins_in_turn < (is_spinning ? SPINS_ONCE_KNOWN : SPINS_BETWEEN_TURNS)) return;
  w->current->spins_in_turn = 0;
  if (is_spinning) yield_in_block();
  else yield_in_warp();
}

void step_in_turn() {
  Lane& lane = *worker()->current;
  lane.spins += SPIN_LIKELY;
  if (lane.spins < SPINS_IN_WARP) return yield_in_warp();
  lane.spins = 0;
  yield_in_block();
}

namespace {

// The one address that the lane's whole trace reads and the last place where it does; 0 if it reads others, or does anything else. Such a
// lane polls memory by loads that a compiler may make once.
uint64_t polled_address(const Lane& lane, uint32_t& pc) {
  uint64_t address = 0;
  for (const Event* event = lane.trace; event < emu_thread.cursor; ++event) {
    if (event->kind == EVENT_BASIC_BLOCK) continue;
    bool is_local = event->address - emu_thread.stacks_begin < emu_thread.stacks_size;
    if (event->kind == EVENT_LOAD && is_local) continue;
    if (event->kind != EVENT_LOAD || (address && event->address != address)) return 0;
    address = event->address;
    pc = event->pc;
  }
  return address;
}

// Lets other warps and blocks run, so that what is waited for can come; then the loop was right only by chance.
void wait_by_plain_loads(Worker& w, uint64_t address, uint32_t pc) {
  const unsigned char before = *reinterpret_cast<const unsigned char*>(address);
  yield_in_block();
  if (*reinterpret_cast<const volatile unsigned char*>(address) == before) return;
  report(w, "plain_poll", pc, 0, address, w.current_thread,
         "a loop waits for another thread by plain loads, which the compiler may make only once: the location has to be volatile or atomic");
}

}  // namespace

void trace_is_full() {
  Worker& w = *worker();
  uint32_t pc = 0;
  Lane& lane = *w.current;
  uint64_t polled = w.launch->is_checked ? polled_address(lane, pc) : 0;
  bool is_polling = polled && polled == lane.polled;
  lane.polled = polled;
  lane.polled_traces = is_polling ? static_cast<uint8_t>(std::min(lane.polled_traces + 1u, POLLING_TRACES)) : 0;
  if (lane.polled_traces == POLLING_TRACES) return wait_by_plain_loads(w, polled, pc);
  Warp& warp = current_warp(w);
  uint32_t self = bit(w.current_thread % WARP_LANES);
  warp.ready |= self;
  warp.full |= self;
  suspend();
}

void begin_block(Worker& w, Block& block, uint64_t linear) {
  const Launch& launch = *w.launch;
  block.linear = linear;
  block.serial = ++w.last_block_serial;
  block.epoch = 0;
  block.exited_threads = block.threads_at_end = 0;
  if (!block.uses_only_barrier_0) std::fill_n(block.barrier_of.get(), MAX_BLOCK_THREADS, 0);
  block.uses_only_barrier_0 = true;
  block.waits_for_grid = block.was_parked = false;
  block.exited_when_parked = 0;
  block.epoch_when_parked = 0;
  for (Barrier& barrier : block.barriers) barrier = Barrier{};
  for (unsigned i = 0; i < launch.warps_per_block; ++i) {
    unsigned lanes = std::min(WARP_LANES, launch.threads_per_block - i * WARP_LANES);
    block.warps[i] = Warp{};
    block.warps[i].all = block.warps[i].fresh = lanes == WARP_LANES ? ~0u : bit(lanes) - 1;
  }
}

bool run_until_idle(Worker& w, Block& block) {
  for (unsigned rounds_without_progress = block.was_parked ? ROUNDS_BEFORE_PARKING - 1 : 0;;) {
    run_all_warps(w);
    if (is_stopped(w)) return false;
    if (block.exited_threads == w.launch->threads_per_block) return true;
    if (release_barriers(w, block, false)) {
      rounds_without_progress = 0;
      block.was_parked = false;
      continue;
    }
    if (block.waits_for_grid) return false;
    if (any_yielded(w, block)) {
      if (++rounds_without_progress == ROUNDS_BEFORE_PARKING) return false;
      continue;
    }
    release_barriers(w, block, true);
  }
}

bool find_spinning(const Worker& w, const Block& block, unsigned& thread) {
  for (unsigned i = 0; i < w.launch->warps_per_block; ++i) {
    if (!block.warps[i].yielded) continue;
    thread = i * WARP_LANES + lowest(block.warps[i].yielded);
    return true;
  }
  return false;
}

void report_timeout(Worker& w, const Block& block) {
  if (w.launch->error() != CUDA_ERROR_LAUNCH_TIMEOUT) return;
  for (unsigned i = 0; i < w.launch->threads_per_block; ++i) {
    const Warp& warp = block.warps[i / WARP_LANES];
    uint32_t pc = block.lanes[i].pc;
    if (((warp.fresh | warp.exited) & bit(i % WARP_LANES)) || !pc) continue;
    return report(w, "timeout", pc, 0, 0, i, "%s", TIMEOUT_MESSAGE);
  }
}

void reset_after_abort(Worker& w) {
  w.runner_stack = nullptr;
  w.in_core = 0;
  w.stacks.reset();
}

}  // namespace emu
