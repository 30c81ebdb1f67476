// Accesses that the GPU's compiler does otherwise: neighbours fused into a wider access, equal accesses of two branches merged,
// iterations of a loop dealt to unrolled pieces, where threads that iterate less often than others run other pieces with them.
//
// Which ones is read from the machine code by someone else (EMU_CORRECTIONS); here they are counted as one where the addresses and
// lanes of this run allow it, and one by one where they do not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "patterns.h"
#include "trace.h"

namespace emu {

struct Worker;

// A correction's sites in program order. Text form: "BYTES:PC,PC;BYTES/COPIES.COPIES:PC,…".
struct Correction {
  unsigned fused_bytes = 0;                  // width of the access that the GPU does; 0: sites of exclusive branches, merged
  std::vector<unsigned> pieces;              // iterations per pass of each piece of an unrolled loop, in the order of the code
  std::vector<uint32_t> sites;

  // Several sites that fill only part of the access (three of a struct's four members), each once.
  bool is_partial(unsigned site_bytes) const { return sites.size() > 1 && sites.size() * site_bytes < fused_bytes; }
};
const std::vector<Correction>& corrections();

// Index into corrections(); -1: none.
int correction_of(uint32_t pc);

// Requests of one correction that wait for the rest of their access. Belongs to the warp that runs; empty at barriers.
struct PendingAccess {
  Event event{};
  bool is_shared = false;
  unsigned joined_bytes = 0;                 // per lane, so far
  size_t position = 0;                       // of the last site in the correction
  std::vector<std::pair<Event, unsigned>> parts;  // of a partial access: each with its offset from `address`
  unsigned lane_count = 0;                   // 0: nothing waits
  uint64_t address[WARP_LANES];
  uint8_t lane[WARP_LANES];
  std::vector<uint64_t> iterations[WARP_LANES];  // of an unrolled loop: each lane's addresses
};

void count_corrected(Worker& w, int correction, const Event& event, const Request& request, bool is_shared);
void count_pending(Worker& w);

}  // namespace emu
