// Warp operations: shuffles, votes, matches, reductions, __syncwarp, __activemask.
//
// A lane arrives with its operation and mask and waits until every lane of the mask that has not exited has arrived with the
// same two. Arrival is by operation and mask, not by place: CUDA does not require the lanes to be on one line.
#include <algorithm>

#include "faults.h"
#include "matrices.h"
#include "memory.h"
#include "options.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

inline unsigned lowest(uint32_t set) { return static_cast<unsigned>(__builtin_ctz(set)); }

Warp& current_warp(Worker& w) { return w.block->warps[w.warp_index]; }
Lane* lanes_of(Worker& w) { return &w.block->lanes[w.warp_index * WARP_LANES]; }

template <class F>
void for_each_lane(uint32_t set, F f) {
  for (; set; set &= set - 1) f(lowest(set));
}

// PTX ISA, shfl.sync: the source lane, or the lane itself where the source would leave its segment.
unsigned shuffle_source(const Lane& lane, unsigned self) {
  unsigned width = lane.width && lane.width <= WARP_LANES ? lane.width : WARP_LANES;
  unsigned first = self & ~(width - 1), last = first + width - 1, a = lane.argument;
  switch (lane.mode) {
    case 0: return first + (a & (width - 1));
    case 1: return self < first + (a & 31) ? self : self - (a & 31);
    case 2: return self + (a & 31) > last ? self : self + (a & 31);
    default: return (self ^ (a & 31)) > last ? self : self ^ (a & 31);
  }
}

const char* why_inactive(const Warp& warp, const Lane& lane, unsigned source) {
  if (!(warp.all >> source & 1)) return "the block does not have";
  if (!(lane.mask >> source & 1)) return "the mask does not name";
  return warp.exited >> source & 1 ? "has ended" : "does not come";
}

// The value is undefined in CUDA; here it is the lane's own, unless a probe asks for another one.
uint64_t inactive_value(Worker& w, Lane* lanes, unsigned i, unsigned source) {
  if (w.launch->is_checked)
    report(w, "inactive_lane_read", lanes[i].pc, 0, 0, thread_index(w, i), "lane %u reads lane %u, which %s: the value is undefined", i, source,
           why_inactive(current_warp(w), lanes[i], source));
  return options().inactive_value.value_or(lanes[i].value);
}

void shuffle(Worker& w, Lane* lanes, uint32_t set) {
  for_each_lane(set, [&](unsigned i) {
    unsigned source = shuffle_source(lanes[i], i);
    lanes[i].result = set >> source & 1 ? lanes[source].value : inactive_value(w, lanes, i, source);
  });
}

void vote(Lane* lanes, uint32_t set) {
  uint32_t ballot = 0;
  for_each_lane(set, [&](unsigned i) { ballot |= (lanes[i].value ? 1u : 0u) << i; });
  for_each_lane(set, [&](unsigned i) {
    switch (lanes[i].mode) {
      case 0: lanes[i].result = ballot; break;
      case 1: lanes[i].result = ballot == set; break;
      case 2: lanes[i].result = ballot != 0; break;
      default: lanes[i].result = ballot == set || ballot == 0;
    }
  });
}

void match(Lane* lanes, uint32_t set) {
  for_each_lane(set, [&](unsigned i) {
    uint32_t equal = 0;
    for_each_lane(set, [&](unsigned k) { equal |= (lanes[k].value == lanes[i].value ? 1u : 0u) << k; });
    if (lanes[i].all_equal) {
      *lanes[i].all_equal = equal == set;
      lanes[i].result = equal == set ? set : 0;
    } else {
      lanes[i].result = equal;
    }
  });
}

uint32_t combine(unsigned mode, uint32_t a, uint32_t b) {
  auto s = [](uint32_t v) { return static_cast<int32_t>(v); };
  switch (mode) {
    case 0: return a + b;
    case 1: return std::min(a, b);
    case 2: return std::max(a, b);
    case 3: return s(a) < s(b) ? a : b;
    case 4: return s(a) > s(b) ? a : b;
    case 5: return a & b;
    case 6: return a | b;
    default: return a ^ b;
  }
}

void reduce(Lane* lanes, uint32_t set) {
  auto total = static_cast<uint32_t>(lanes[lowest(set)].value);
  unsigned mode = lanes[lowest(set)].mode;
  for_each_lane(set & (set - 1), [&](unsigned i) { total = combine(mode, total, static_cast<uint32_t>(lanes[i].value)); });
  for_each_lane(set, [&](unsigned i) { lanes[i].result = total; });
}

constexpr uint32_t EVEN_LANES = 0x55555555u;

// No lane may rely on finding others that have not been told to wait for it.
void find_active(Worker& w, Lane* lanes, uint32_t set) {
  unsigned first = lowest(set);
  if (w.launch->is_checked && (set & (set - 1)))
    report(w, "convergence_assumed", lanes[first].pc, 0, 0, thread_index(w, first),
           "the result depends on which lanes __activemask() finds together, and CUDA does not say which it does");
  for_each_lane(set, [&](unsigned i) {
    uint32_t found = !options().splits_activemask ? set : 1u << i & EVEN_LANES ? set & EVEN_LANES : set & ~EVEN_LANES;
    lanes[i].result = found;
  });
}

// Only a whole warp can: the elements of other lanes would be missing.
void multiply(Worker& w, Lane* lanes, uint32_t set) {
  const MatrixOperands* operands[WARP_LANES];
  for_each_lane(set, [&](unsigned i) { operands[i] = reinterpret_cast<const MatrixOperands*>(lanes[i].value); });
  if (set == ~0u) return multiply(operands);
  report(w, "bad_warp_mask", lanes[lowest(set)].pc, 0, 0, thread_index(w, lowest(set)), "a product of matrices by lanes %#x only: a whole warp has to call it", set);
}

void complete(Worker& w, Lane* lanes, uint32_t set, WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync: break;
    case WarpOperation::shuffle: shuffle(w, lanes, set); break;
    case WarpOperation::vote: vote(lanes, set); break;
    case WarpOperation::match: match(lanes, set); break;
    case WarpOperation::reduce: reduce(lanes, set); break;
    case WarpOperation::activemask: find_active(w, lanes, set); break;
    case WarpOperation::multiply: multiply(w, lanes, set); break;
  }
}

// The waiting lanes that arrived with the same operation and mask as `lane`.
uint32_t group_of(const Warp& warp, const Lane* lanes, const Lane& lane) {
  uint32_t group = 0;
  for_each_lane(warp.in_operation, [&](unsigned i) {
    if (lanes[i].operation == lane.operation && lanes[i].mask == lane.mask) group |= 1u << i;
  });
  return group;
}

void finish(Worker& w, Warp& warp, Lane* lanes, uint32_t group, WarpOperation operation) {
  complete(w, lanes, group, operation);
  warp.in_operation &= ~group;
  warp.ready |= group;
}

uint64_t run(WarpOperation operation, unsigned mask, uint64_t value, unsigned argument, unsigned width, unsigned mode, uint32_t pc,
             int* all_equal = nullptr) {
  Worker& w = *worker();
  Lane& self = *w.current;
  Warp& warp = current_warp(w);
  unsigned index = w.current_thread % WARP_LANES;
  record_event(nullptr, EVENT_WARP_SYNC, 0, pc);
  if (!(mask >> index & 1)) {
    if (w.launch->is_checked) report(w, "bad_warp_mask", pc, 0, 0, w.current_thread, "mask %#x does not name the calling lane %u", mask, index);
    mask |= 1u << index;
  }
  self.operation = operation;
  self.mask = mask;
  self.value = value;
  self.argument = argument;
  self.width = width;
  self.mode = mode;
  self.all_equal = all_equal;
  self.pc = pc;
  warp.in_operation |= 1u << index;
  // Every lane but this one waits: look whether it was the last.
  if (((warp.in_operation | warp.exited) & mask) == (mask & warp.all)) {
    Lane* lanes = lanes_of(w);
    uint32_t group = group_of(warp, lanes, self);
    if ((group | (warp.exited & mask)) == (mask & warp.all)) {
      finish(w, warp, lanes, group, operation);
      warp.ready &= ~(1u << index);
      return self.result;
    }
  }
  suspend();
  return self.result;
}

bool complete_activemasks(Worker& w, Warp& warp, Lane* lanes) {
  uint32_t group = 0, pc = 0;
  for_each_lane(warp.in_operation, [&](unsigned i) {
    if (lanes[i].operation != WarpOperation::activemask || (group && lanes[i].pc != pc)) return;
    group |= 1u << i;
    pc = lanes[i].pc;
  });
  if (group) finish(w, warp, lanes, group, WarpOperation::activemask);
  return group != 0;
}

}  // namespace

bool complete_arrived_operations(Worker& w) {
  Warp& warp = current_warp(w);
  Lane* lanes = lanes_of(w);
  bool has_completed = false;
  for (uint32_t rest = warp.in_operation; rest;) {
    const Lane& lane = lanes[lowest(rest)];
    uint32_t group = group_of(warp, lanes, lane);
    rest &= ~group;
    if (lane.operation == WarpOperation::activemask || (group | (warp.exited & lane.mask)) != (lane.mask & warp.all)) continue;
    finish(w, warp, lanes, group, lane.operation);
    has_completed = true;
  }
  return has_completed;
}

bool complete_stuck_operations(Worker& w) {
  Warp& warp = current_warp(w);
  Lane* lanes = lanes_of(w);
  if (complete_activemasks(w, warp, lanes)) return true;
  if (warp.yielded) return false;  // spinning lanes may still arrive
  const Lane& lane = lanes[lowest(warp.in_operation)];
  uint32_t group = group_of(warp, lanes, lane);
  const uint32_t others = warp.in_operation & ~group;
  if (w.launch->is_checked)
    report(w, "bad_warp_mask", lane.pc, others ? lanes[lowest(others)].pc : 0, 0, thread_index(w, lowest(group)), "the mask names lanes %#x, but only lanes %#x arrive here", lane.mask & warp.all & ~warp.exited, group);
  finish(w, warp, lanes, group, lane.operation);
  return true;
}

}  // namespace emu

using namespace emu;

extern "C" {

void emu_syncwarp(unsigned mask) {
  if (on_device()) run(WarpOperation::sync, mask, 0, 0, 0, 0, EMU_CALLER);
}

unsigned emu_activemask() {
  if (!on_device()) return 1;
  return static_cast<unsigned>(run(WarpOperation::activemask, ~0u, 0, 0, 0, 0, EMU_CALLER));
}

uint64_t emu_shuffle(unsigned mask, uint64_t value, unsigned source_or_delta, unsigned width, int mode) {
  if (!on_device()) return value;
  return run(WarpOperation::shuffle, mask, value, source_or_delta, width, static_cast<unsigned>(mode), EMU_CALLER);
}

unsigned emu_vote(unsigned mask, int predicate, int mode) {
  if (!on_device()) return predicate != 0;
  return static_cast<unsigned>(run(WarpOperation::vote, mask, predicate != 0, 0, 0, static_cast<unsigned>(mode), EMU_CALLER));
}

unsigned emu_match(unsigned mask, uint64_t value, unsigned bytes, int* all_equal) {
  if (!on_device()) return 1;
  if (bytes < 8) value &= (uint64_t{1} << 8 * bytes) - 1;
  return static_cast<unsigned>(run(WarpOperation::match, mask, value, 0, 0, all_equal != nullptr, EMU_CALLER, all_equal));
}

uint64_t emu_reduce(unsigned mask, uint64_t value, int mode) {
  if (!on_device()) return value;
  return run(WarpOperation::reduce, mask, value, 0, 0, static_cast<unsigned>(mode), EMU_CALLER);
}

void emu_wmma_multiply(void* d, const void* a, const void* b, const void* c, EmuMatrixShape shape) {
  if (!on_device()) return;
  for (const void* fragment : {static_cast<const void*>(d), a, b, c})  // the core writes there itself, past the hooks
    if (!in_range(reinterpret_cast<uint64_t>(fragment), emu_thread.stacks_begin, emu_thread.stacks_size))
      abort_launch("wild_pointer", EMU_CALLER, reinterpret_cast<uint64_t>(fragment), "a fragment that is no local variable", CUDA_ERROR_ILLEGAL_ADDRESS);
  const MatrixOperands operands{d, a, b, c, shape, false};
  run(WarpOperation::multiply, ~0u, reinterpret_cast<uint64_t>(&operands), 0, 0, 0, EMU_CALLER);
}

void emu_multiply_doubles(unsigned rows, double c0, double c1, double c2, double c3, double a0, double a1, double b) {
  if (!on_device()) return;
  double* c = worker()->products[worker()->current_thread];
  const double a[] = {a0, a1};
  c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
  const MatrixOperands operands{c, a, &b, c, EmuMatrixShape{static_cast<unsigned char>(rows), 8, 4, EMU_MATRIX_DOUBLE, EMU_MATRIX_DOUBLE, EMU_MATRIX_DOUBLE, EMU_MATRIX_DOUBLE}, true};
  run(WarpOperation::multiply, ~0u, reinterpret_cast<uint64_t>(&operands), 0, 0, 0, EMU_CALLER);
}

double emu_product_of_lane(unsigned element) { return on_device() ? worker()->products[worker()->current_thread][element] : 0; }

}  // extern "C"
