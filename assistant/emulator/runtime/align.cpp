// SIMT re-alignment: which lanes' events were one warp instruction.
//
// While all lanes show the same program counter they advance together. When they differ, the lanes at the smallest program
// counter always go first; with one event per basic block, and blocks laid out in program order, lanes then meet again where the
// hardware reconverges them (nested divergent loops, break, continue, early return).
#include <algorithm>
#include <cstring>

#include "requests.h"
#include "worker.h"

namespace emu {
namespace {

constexpr uint32_t UNKNOWN_PC = ~0u;

class Aligner {
 public:
  Aligner(Worker& w, bool is_final) : w_(w), is_final_(is_final), warp_(w.block->warps[w.warp_index]), lanes_(&w.block->lanes[w.warp_index * WARP_LANES]) {
    for (uint32_t rest = warp_.all & ~warp_.fresh; rest; rest &= rest - 1) {
      unsigned i = static_cast<unsigned>(__builtin_ctz(rest));
      at_[i] = lanes_[i].trace;
      end_[i] = lanes_[i].trace_end;
      bool is_finished = warp_.exited >> i & 1;
      if (at_[i] != end_[i] || !is_finished) active_ |= 1u << i;
    }
  }

  void run() {
    step_together();
    step_apart();
    keep_the_rest();
  }

 private:
  // All active lanes, as long as they agree.
  void step_together() {
    if (!active_) return;
    uint8_t lane[WARP_LANES];
    const Event* event[WARP_LANES];
    unsigned count = 0;
    ptrdiff_t shortest = TRACE_EVENTS, longest = 0;
    for (uint32_t rest = active_; rest; rest &= rest - 1) {
      unsigned i = static_cast<unsigned>(__builtin_ctz(rest));
      lane[count] = static_cast<uint8_t>(i);
      event[count++] = at_[i];
      shortest = std::min(shortest, end_[i] - at_[i]);
      longest = std::max(longest, end_[i] - at_[i]);
    }
    uint64_t address[WARP_LANES];
    ptrdiff_t k = 0;
    for (; k < shortest; ++k) {
      uint32_t pc = event[0][k].pc, difference = 0;
      for (unsigned n = 0; n < count; ++n) {
        difference |= event[n][k].pc ^ pc;
        address[n] = event[n][k].address;
      }
      if (difference) break;
      execute(event[0][k], address, lane, count);
    }
    for (uint32_t rest = active_; rest; rest &= rest - 1) at_[__builtin_ctz(rest)] += k;
    if (k && k < longest) note_divergence(event[0][k - 1], lane, count);
  }

  void step_apart() {
    for (;;) {
      uint32_t lowest = ~0u;
      for (uint32_t rest = active_; rest; rest &= rest - 1) {
        unsigned i = static_cast<unsigned>(__builtin_ctz(rest));
        if (at_[i] != end_[i]) {
          lowest = std::min(lowest, at_[i]->pc);
          continue;
        }
        if ((warp_.full >> i & 1) && !is_final_) return;  // its next event is not known yet
        active_ &= ~(1u << i);
      }
      if (!active_) return;
      uint64_t address[WARP_LANES];
      uint8_t lane[WARP_LANES];
      unsigned count = 0;
      Event event{};
      for (uint32_t rest = active_; rest; rest &= rest - 1) {
        unsigned i = static_cast<unsigned>(__builtin_ctz(rest));
        if (at_[i]->pc != lowest) continue;
        event = *at_[i]++;
        address[count] = event.address;
        lane[count++] = static_cast<uint8_t>(i);
      }
      execute(event, address, lane, count);
      note_divergence(event, lane, count);
    }
  }

  void execute(const Event& event, uint64_t* address, const uint8_t* lane, unsigned count) {
    switch (event.kind & EVENT_KIND_MASK) {
      case EVENT_BASIC_BLOCK: {
        Site& site = w_.counters.at(event);
        ++site.executions;
        ++warp_.steps;
        site.lanes += count;
        return;
      }
      case EVENT_WARP_SYNC: ++warp_.sync_epoch; return;
      case EVENT_FENCE: return note_fences(w_, address, lane, count);
      case EVENT_COPY_ENDS:
      case EVENT_READ_ONLY: return check_uncounted(w_, event, address, lane, count);
      default:
        if (w_.launch->checks_global_races && event.kind == EVENT_STORE) check_lanes(w_, event, address, lane, count);
        analyse_request(w_, event, address, lane, count);
    }
  }

  // Counts at `event` if the lanes that executed it go on to different places. What is no instruction of the program stands for the one
  // before it. A lane whose next event is not known yet, as it waits or its trace is full, shows nothing.
  void note_divergence(const Event& event, const uint8_t* lane, unsigned count) {
    const Event* counted = &event;
    for (const Event* before = at_[lane[0]] - 1; (counted->kind & EVENT_KIND_MASK) >= EVENT_FENCE; counted = before)
      if (--before < lanes_[lane[0]].trace) return;
    uint32_t first_pc = UNKNOWN_PC;
    for (unsigned n = 0; n < count; ++n) {
      uint32_t pc = next_pc(lane[n]);
      if (pc == UNKNOWN_PC) continue;
      if (first_pc == UNKNOWN_PC) first_pc = pc;
      if (pc != first_pc) {
        ++w_.counters.at(*counted).divergences;
        return;
      }
    }
  }

  // 0 for a lane that has ended.
  uint32_t next_pc(unsigned i) const {
    if (at_[i] != end_[i]) return at_[i]->pc;
    return warp_.exited >> i & 1 ? 0 : UNKNOWN_PC;
  }

  void keep_the_rest() {
    for (uint32_t rest = warp_.all & ~warp_.fresh; rest; rest &= rest - 1) {
      unsigned i = static_cast<unsigned>(__builtin_ctz(rest));
      ptrdiff_t left = end_[i] - at_[i];
      if (left && at_[i] != lanes_[i].trace) memmove(lanes_[i].trace, at_[i], static_cast<size_t>(left) * sizeof(Event));
      lanes_[i].trace_end = lanes_[i].trace + left;
      if (left < static_cast<ptrdiff_t>(TRACE_EVENTS)) warp_.full &= ~(1u << i);
    }
  }

  Worker& w_;
  bool is_final_;
  Warp& warp_;
  Lane* lanes_;
  uint32_t active_ = 0;
  Event* at_[WARP_LANES];
  Event* end_[WARP_LANES];
};

}  // namespace

void align_traces(Worker& w, bool is_final) {
  ++w.in_core;
  Aligner(w, is_final).run();
  if (is_final) count_pending(w);
  --w.in_core;
}

}  // namespace emu
