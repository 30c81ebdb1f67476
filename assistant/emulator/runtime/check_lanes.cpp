// Races within one instruction: several lanes of a warp write to one global address. CUDA does each of the writes or not, in no order that a
// program can know, so that what stays is undefined where their values differ (CUDA C++ Programming Guide, "SIMT Architecture"). Lanes that
// set a flag write the same. In launches whose threads signal to each other nothing is said: lanes that take a lock in turn are counted as
// one instruction.
#include "requests.h"

namespace emu {

void check_lanes(Worker& w, const Event& event, uint64_t* address, const uint8_t* lane, unsigned lane_count) {
  uint16_t value[WARP_LANES];
  bool is_rising = true;
  for (unsigned i = 0; i < lane_count; ++i) {
    value[i] = stored(address[i]);
    address[i] = without_stored(address[i]);
    is_rising &= i == 0 || address[i] > address[i - 1];
  }
  if (is_rising || w.order) return;
  for (unsigned i = 1; i < lane_count; ++i)
    for (unsigned j = 0; j < i; ++j) {
      if (address[i] != address[j] || !value[i] || !value[j] || value[i] == value[j]) continue;
      return report(w, "global_race", event.pc, event.pc, address[i], thread_index(w, lane[i]),
                    "write after write: in the same instruction thread %u of the same warp writes another value there, and which of them stays is undefined",
                    thread_index(w, lane[j]));
    }
}

}  // namespace emu
