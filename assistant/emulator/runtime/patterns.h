// The arithmetic of one warp-wide memory request: sectors, lines, shared-memory wavefronts and their ideals.
//
// Pure functions of the active lanes' addresses. The rules are Nsight Compute's, as read from an H200 with per-instruction
// counters (memory_l1_*, "theoretical"); docs/explanation/counters.md derives them.
#pragma once
#include <cstdint>

#include "trace.h"

namespace emu {

constexpr unsigned SECTOR_BYTES = 32, LINE_BYTES = 128, BANK_BYTES = 4, BANKS = 32;

// One request: n active lanes in ascending order.
struct Request {
  unsigned lane_count;
  unsigned size_bytes;                       // a power of two up to 16
  const uint64_t* address;                   // [lane_count]
  const uint8_t* lane;                       // [lane_count]
  uint64_t lowest, highest;                  // of the addresses
  bool is_dense;                             // consecutive lanes are exactly size_bytes apart
};

Request make_request(const uint64_t* address, const uint8_t* lane, unsigned lane_count, unsigned size_bytes);

struct Sectors {
  unsigned count = 0, tags = 0, ideal = 0;
  uint64_t sector[WARP_LANES];               // distinct sector numbers (address / 32), in order of first use
};
// ideal = min(sectors, ceil(active lanes x size / 32)): a broadcast has ideal 1.
Sectors count_sectors(const Request& request);
// Whether the sectors would be others if the variable stood elsewhere, by any multiple of the access's size: nvcc packs __device__
// variables by their natural alignment (as nvdisasm shows of CUDA 13.0), g++ starts arrays at multiples of 32 bytes.
bool have_sectors_of_place(const Request& request);

struct Wavefronts {
  unsigned count = 0, ideal = 0;
  bool is_doubtful = false;                  // no measurement settles how the hardware groups these lanes
};
// 32 banks of 4 bytes. Up to 4 bytes a lane go in one pass, 8-byte accesses by half warps, 16-byte accesses by quarter warps. Two
// neighbouring groups of a load share a pass when all active lanes agree with lane^1, or all with lane^2, as far as these are active;
// in a partly active warp only if nothing conflicts. ideal = min(actual, ceil(active lanes x size / 128)) for wide accesses. As
// measured on an H200 with 36 patterns (tests/data/h200/wide.json), all but 16-byte loads by partly active warps.
Wavefronts count_wavefronts(const Request& request, bool is_store);

// The same for wavefronts: a shift by whole words only rotates the banks, so this concerns accesses of less than 4 bytes.
bool have_wavefronts_of_place(const Request& request);

// A shared atomic whose lanes wait for each other even at one address: the largest number of lanes on one bank (72 of 72 rows there).
unsigned count_serial_wavefronts(const Request& request);

// Local memory interleaves the lanes' 4-byte words: word w of lane l stands in sector 4w + l/8 (PTX ISA: local state space;
// Nsight Compute's local sectors of a full warp with equal offsets are 4 per word).
Sectors count_local_sectors(const Request& request, const uint64_t* local_offset);

}  // namespace emu
