// Limits of a launch on an H200.
//
// Compute capability 9.0: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; 132 multiprocessors:
// NVIDIA H200 data sheet.
#pragma once
#include <algorithm>
#include <cstdint>

#include "abi.h"

namespace emu {

constexpr unsigned MAX_BLOCK_X = 1024, MAX_BLOCK_Z = 64;
constexpr unsigned MAX_GRID_X = 2147483647, MAX_GRID_YZ = 65535;
constexpr unsigned DEFAULT_DYNAMIC_SHARED_BYTES = 49152;  // more must be asked for by cudaFuncSetAttribute
constexpr unsigned MULTIPROCESSORS = 132, THREADS_PER_MULTIPROCESSOR = 2048, BLOCKS_PER_MULTIPROCESSOR = 32;

inline uint64_t count(EmuDim3 d) { return uint64_t{d.x} * d.y * d.z; }

// Whether all blocks can be resident at once, as a cooperative launch needs (registers and shared memory aside).
inline bool fits_at_once(EmuDim3 grid, EmuDim3 block) {
  uint64_t warp_threads = std::max<uint64_t>((count(block) + 31) / 32 * 32, 32);
  return count(grid) <= MULTIPROCESSORS * std::min<uint64_t>(THREADS_PER_MULTIPROCESSOR / warp_threads, BLOCKS_PER_MULTIPROCESSOR);
}

}  // namespace emu
