// One recorded event of one CUDA thread, as the hooks append it.
#pragma once
#include <cstdint>

namespace emu {

enum EventKind : uint16_t {
  EVENT_LOAD = 0,
  EVENT_STORE = 1,
  EVENT_ATOMIC = 2,
  EVENT_BASIC_BLOCK = 3,
  EVENT_WARP_SYNC = 4,         // a warp operation that orders memory among its lanes
  EVENT_FENCE = 5,             // address: its scope; only where launches are checked for order
  EVENT_COPY_ENDS = 6,         // of an asynchronous copy: what it wrote, when its thread has waited for it
  EVENT_READ_ONLY = 7,         // the load behind it goes past the coherent caches (__ldg)
  EVENT_KIND_MASK = 7,
  EVENT_VOLATILE = 8,          // flags, added to the kind
  EVENT_COMPARE_AND_SWAP = 16,
  EVENT_FUSED = 32,            // counted at another width than the program has (corrections.h)
  EVENT_COPY = 64,             // the store of an asynchronous copy, where it is asked for
  EVENT_BLOCK_SCOPE = 128,     // an atomic that is one only to the threads of its block
  EVENT_UNREAD = 256,          // an atomic whose result the program does not look at
};

// Whether events of the kind are memory accesses, which are counted.
inline bool is_access(unsigned kind) { return (kind & EVENT_KIND_MASK) <= EVENT_ATOMIC; }

struct Event {
  uint32_t pc;                 // return address of the hook; the program is linked below 4 GiB
  uint16_t kind;
  uint16_t size_bytes;
  uint64_t address;            // of a plain store in a checked launch with what it stored, where that is known (`stored`)
};

// Addresses of programs have 47 bits; above them a store may keep a digest of its value. 0: not known.
constexpr unsigned STORED_SHIFT = 48;
inline uint16_t stored(uint64_t address) { return static_cast<uint16_t>(address >> STORED_SHIFT); }
inline uint64_t without_stored(uint64_t address) { return address & ((uint64_t{1} << STORED_SHIFT) - 1); }

constexpr unsigned WARP_LANES = 32;
constexpr unsigned MAX_BLOCK_THREADS = 1024;   // sm_90: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
constexpr unsigned MAX_BLOCK_WARPS = MAX_BLOCK_THREADS / WARP_LANES;

// Events a lane may hold before its warp's traces are analysed. 512 x 16 bytes x 32 lanes stays within a core's L2 cache.
constexpr unsigned TRACE_EVENTS = 512;
// Distance between two lanes' buffers: not a power of two, so that equal positions fall into different cache sets.
constexpr unsigned TRACE_STRIDE = TRACE_EVENTS + 4;

}  // namespace emu
