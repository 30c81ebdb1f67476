// What a worker counts per site (program counter of an access or a basic block) during one launch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "trace.h"

struct EmuSymbol;

namespace emu {

struct Allocation;

struct SpaceCounters {
  uint64_t requests = 0;         // warp-level, with at least one active lane
  uint64_t lanes = 0;
  uint64_t units = 0;            // sectors (global, local) or wavefronts (shared)
  uint64_t ideal_units = 0;
  uint64_t tags = 0;             // 128-byte lines (global)
  uint64_t passes = 0;           // over the 32 banks in which L1 keeps its lines, as over shared memory's (global loads)
  void add(const SpaceCounters& other);
};

// Basic blocks that warps executed: how unevenly the work lies on warps and thread blocks.
struct Steps {
  uint64_t sum = 0, longest_warp = 0, longest_block = 0;
  double block_squares = 0;      // of each thread block's steps, summed
  void add(const Steps& other);
};

struct Site {
  uint32_t pc = 0;
  uint16_t kind = 0;
  uint16_t size_bytes = 0;
  SpaceCounters global, shared, local, constant;
  uint64_t doubtful_requests = 0;          // that no measurement settles, or that depend on where the variable stands: some of them
  uint64_t serial_wavefronts = 0;          // shared atomics, if lanes with equal addresses wait for each other
  uint64_t executions = 0, lanes = 0;      // basic blocks
  uint64_t divergences = 0;                // after which lanes of the warp went different ways
  // Where the last access of this site fell: an allocation or a symbol that need not be looked up again.
  uint64_t known_begin = 1, known_end = 0;
  const Allocation* allocation = nullptr;  // nullptr: a symbol
  const EmuSymbol* symbol = nullptr;       // the last one that it accessed
  bool is_constant = false;
  bool is_unordered = false;               // other threads' accesses, unordered with its own, may decide how often it runs
  int correction = -1;                     // the one it takes part in (corrections.h)
  void add(const Site& other);
};

class Counters {
 public:
  // `text_bytes`: size of the program's code; `text_begin`: its first address.
  void reserve(uint32_t text_begin, size_t text_bytes);
  Site& at(const Event& event) {
    uint32_t& slot = slots_[event.pc - text_begin_];
    if (__builtin_expect(slot == 0, 0)) slot = add_site(event);
    return sites_[slot];
  }
  // Two accesses that are only ordered by what threads read of each other.
  void mark_unordered(uint32_t pc, uint32_t other_pc) {
    sites_[slots_[pc - text_begin_]].is_unordered = true;
    sites_[slots_[other_pc - text_begin_]].is_unordered = true;
  }
  // Sums this worker's sites into `total` and forgets them.
  void drain_into(std::map<uint32_t, Site>& total);

 private:
  uint32_t add_site(const Event& event);
  uint32_t text_begin_ = 0;
  std::vector<uint32_t> slots_;            // by code address; 0: none yet
  std::vector<Site> sites_{1};
};

}  // namespace emu
