// Which accesses of one launch are ordered by fences and by what threads tell each other through memory.
//
// The rules are those of the PTX memory model ("Memory Consistency Model": release and acquire patterns, causality order), as far as
// CUDA C++ offers them: an access happens before another if its thread, or a thread behind a barrier, fences and then writes a location
// atomically or volatile (a signal), and the other's thread, or one in front of a barrier, reads that location so afterwards. Barriers
// and warp operations order the threads of a block. Chains of signals over other threads and blocks count.
//
// Only accesses that the checks look at know of it, and only in launches whose blocks run one after another on one worker: then the
// order in which traces are analysed is the order in which things happened. Knows nothing of kernels and addresses.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace.h"

namespace emu {

// Where and when an access, a fence or a signal was made.
struct AccessPoint {
  uint32_t block = 0;                        // linear
  uint32_t epoch = 0;                        // barriers of the block before it, modulo 2^18 in cells
  uint32_t sync = 0;                         // warp operations of its warp before it, modulo 2^14 in cells
  uint32_t tick = 0;                         // fences and signals of the launch before it
  uint16_t thread = 0;
};

enum class Ordering : uint8_t {
  ordered,
  no_reader_fence,                           // but for a fence between the signal's arrival and the second access
  no_syncwarp,                               // but for a __syncwarp between the first access and another lane's fence
  no_writer_fence,                           // but for a fence between the first access and the signal
  unordered,                                 // nothing was signalled
  unknown,                                   // too much happened to tell
};

// How far a fence or an atomic reaches, as CUDA's thread scopes.
enum class Scope : uint8_t { block, device };

class OrderLog {
 public:
  void reset();
  uint32_t now() const { return tick_; }
  void add_fence(AccessPoint at, Scope scope);
  void add_signal(AccessPoint at, uint64_t location, bool reads, bool writes, Scope scope);
  // Whether `first` happens before `second`, which is made now. `is_strong`: the second access is atomic or volatile itself, so it needs
  // no fence before it. Signals through `excluded` do not count (0: all do).
  Ordering judge(const AccessPoint& first, const AccessPoint& second, bool is_strong, uint64_t excluded = 0);
  // Whether the thread of `second`, or one that is ordered before it, has read `location` after `first` was made.
  bool has_seen(const AccessPoint& first, const AccessPoint& second, uint64_t location) const;
  // Whether both threads, lanes of one warp, have exchanged one location: a lock. Traces of a warp are analysed instruction by instruction,
  // so the order in which its lanes held the lock is not known.
  bool take_turns(const AccessPoint& first, const AccessPoint& second) const;

 private:
  struct Op {
    AccessPoint at;                          // `tick`: its own, of the first when equal ones were joined
    uint32_t last_tick;                      // of the last one joined: a thread that polls
    uint64_t location;                       // 0: a fence
    bool reads, writes;
    Scope scope;
  };
  struct BlockLog {
    std::vector<Op> ops;
    std::unordered_map<uint16_t, size_t> last_of_thread;
    std::unordered_map<uint64_t, std::vector<size_t>> readers;  // by location
  };
  struct Rules { bool needs_writer_fence, needs_reader_fence, needs_syncwarp; };
  class Search;

  Op* last_equal(BlockLog& log, const Op& op);
  void add(Op op);
  Ordering search(const AccessPoint& first, const AccessPoint& second, bool is_strong, uint64_t excluded);
  bool is_reached(const AccessPoint& first, const AccessPoint& second, uint64_t excluded, Rules rules, unsigned& steps_left) const;
  static bool is_after(const AccessPoint& later, uint32_t later_tick, const AccessPoint& earlier, bool needs_syncwarp);

  uint32_t tick_ = 0;
  size_t op_count_ = 0;
  std::unordered_map<uint32_t, BlockLog> blocks_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> reading_blocks_;  // by location
  struct Known { uint64_t key; Ordering ordering; };
  std::vector<Known> known_;                 // answers, by a hash of the question; they hold until the next tick
};

}  // namespace emu
