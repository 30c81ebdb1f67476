// Races on global memory: two threads access a word, one writes, and nothing in the launch orders them.
//
// Two plain writes that leave the same value (a flag that many threads set) are a possible race, too.
//
// Threads of different blocks are never ordered; threads of one block are ordered by its barriers; threads of one warp are not
// examined. If the kernel uses device-wide fences, or the two accesses mix atomics with plain ones, the order may come from
// a protocol that cannot be seen here: then the race is only possible.
#include <algorithm>
#include <atomic>

#include "memory.h"
#include "requests.h"

namespace emu {
namespace {

struct Access {
  uint32_t block;        // linear + 1
  uint32_t epoch;
  uint16_t thread;
  uint32_t pc;
  uint8_t mask;
  bool is_atomic;
  bool has_digest;       // the memory can be read: the access was in bounds
  uint8_t digest;        // of the word now, after the access
};

const char* kind_of_race(const Worker& w, bool other_is_atomic, bool self_is_atomic) {
  bool is_possible = w.launch->uses_fences.load(std::memory_order_relaxed) || other_is_atomic || self_is_atomic;
  return is_possible ? "possible_global_race" : "global_race";
}

bool is_concurrent(const Access& self, uint32_t block, uint32_t epoch, uint16_t thread) {
  if (block == 0) return false;
  if (block != self.block) return true;
  return thread / WARP_LANES != self.thread / WARP_LANES && epoch == self.epoch;
}

void report_race(Worker& w, const char* pattern, const Access& self, const GlobalCell& cell, bool is_with_write, uint64_t address) {
  uint32_t block = is_with_write ? cell.write_block : cell.read_block;
  unsigned thread = is_with_write ? cell.write_thread : cell.read_thread;
  bool other_is_atomic = is_with_write ? cell.is_atomic_write : cell.is_atomic_read;
  bool is_equal_write = is_with_write && self.has_digest && self.digest == cell.written_digest;
  report(w, is_equal_write ? "possible_global_race" : kind_of_race(w, other_is_atomic, self.is_atomic), self.pc, is_with_write ? cell.write_pc : cell.read_pc, address, self.thread,
         "%s: no barrier orders it with thread %u of block %u (linear indices)", pattern, thread, block - 1);
}

void examine(Worker& w, GlobalCell& cell, const Access& self, bool reads, bool writes, uint64_t address) {
  bool both_atomic = self.is_atomic && cell.is_atomic_write;
  if ((cell.write_mask & self.mask) && !both_atomic && is_concurrent(self, cell.write_block, cell.write_epoch, cell.write_thread))
    report_race(w, writes ? "write after write" : "read after write", self, cell, true, address);
  if (!writes || !(cell.read_mask & self.mask) || (self.is_atomic && cell.is_atomic_read)) return;
  bool has_other_reader = is_concurrent(self, cell.read_block, cell.read_epoch, cell.read_thread) || cell.has_many_reader_blocks ||
                          (cell.has_many_reader_warps && cell.read_block == self.block && cell.read_epoch == self.epoch);
  if (has_other_reader && !(reads && cell.read_block == self.block && cell.read_thread == self.thread && !cell.has_many_reader_blocks && !cell.has_many_reader_warps))
    report_race(w, "write after read", self, cell, false, address);
}

void remember_read(GlobalCell& cell, const Access& self) {
  bool is_same_phase = cell.read_block == self.block && cell.read_epoch == self.epoch;
  if (cell.read_block && cell.read_block != self.block) cell.has_many_reader_blocks = 1;
  if (is_same_phase && cell.read_thread / WARP_LANES != self.thread / WARP_LANES) cell.has_many_reader_warps = 1;
  if (!is_same_phase) cell.has_many_reader_warps = 0;
  cell.is_atomic_read = self.is_atomic && (cell.is_atomic_read || cell.read_block == 0);
  cell.read_mask = static_cast<uint8_t>(cell.read_mask | self.mask);
  cell.read_block = self.block;
  cell.read_epoch = self.epoch;
  cell.read_thread = self.thread;
  cell.read_pc = self.pc;
}

void remember_write(GlobalCell& cell, const Access& self) {
  bool is_same_phase = cell.write_block == self.block && cell.write_epoch == self.epoch;
  cell.write_mask = static_cast<uint8_t>((is_same_phase ? cell.write_mask : 0) | self.mask);
  cell.is_atomic_write = self.is_atomic;
  cell.written_digest = self.digest;
  cell.write_block = self.block;
  cell.write_epoch = self.epoch;
  cell.write_thread = self.thread;
  cell.write_pc = self.pc;
}

}  // namespace

uint32_t next_race_serial() {
  static std::atomic<uint32_t> last{0};
  return last.fetch_add(1) + 1;
}

void check_global_races(Worker& w, const Site& site, const Event& event, const Request& r) {
  static GlobalCell* const cells = global_cells();
  if (!cells) return;
  unsigned kind = event.kind & EVENT_KIND_MASK;
  bool reads = kind != EVENT_STORE, writes = kind != EVENT_LOAD;
  uint32_t serial = w.launch->race_serial.load(std::memory_order_relaxed);
  Access self{static_cast<uint32_t>(w.block->linear + 1), w.barrier_epoch & GLOBAL_EPOCH_MASK, 0, event.pc, 0, kind == EVENT_ATOMIC, false, 0};
  for (unsigned i = 0; i < r.lane_count;) {
    uint64_t region = r.address[i] / 4096;
    RegionLock hold(r.address[i]);
    for (; i < r.lane_count && r.address[i] / 4096 == region; ++i) {
      self.thread = static_cast<uint16_t>(thread_index(w, r.lane[i]));
      uint64_t a = r.address[i], end = a + r.size_bytes;
      while (a < end) {
        unsigned first = a % 4, bytes = static_cast<unsigned>(std::min<uint64_t>(4 - first, end - a));
        self.mask = static_cast<uint8_t>(((1u << bytes) - 1) << first);
        self.has_digest = kind == EVENT_STORE && a >= site.known_begin && end <= site.known_end && (!site.allocation || site.allocation->is_live);
        self.digest = self.has_digest ? digest_word(a) : 0;
        GlobalCell& cell = global_cell(cells, a);
        if (cell.race_serial != serial) {
          cell = GlobalCell{};
          cell.race_serial = serial;
        }
        examine(w, cell, self, reads, writes, a);
        if (reads) remember_read(cell, self);
        if (writes) remember_write(cell, self);
        a += bytes;
      }
    }
  }
}

}  // namespace emu
