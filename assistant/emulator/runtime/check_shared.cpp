// Shared memory: bounds, uninitialised reads, races between two barriers, and asynchronous copies that are used before
// they have been waited for.
//
// Threads of different warps are ordered only by barriers. Threads of one warp are ordered by __syncwarp and the other warp
// operations; two accesses by one instruction are one write-write conflict. Writes that leave the same value are only possible races.
// Volatile accesses of a warp that nothing else orders are told apart (lock_step): so code was written before warps could diverge. What
// an asynchronous copy writes is neither old nor new until its thread has waited for it; then it counts as written by that thread.
#include <algorithm>

#include "requests.h"
#include "shared_arrays.h"

namespace emu {
namespace {

constexpr uint8_t WHOLE_WORD = 0xf;

struct Access {
  uint64_t address;
  uint32_t epoch, sync, pc;
  uint16_t thread;
  uint8_t mask;
  uint16_t digest;       // of the word now, after the access
  bool is_atomic, is_volatile;
};

bool same_warp(uint16_t a, uint16_t b) { return a / WARP_LANES == b / WARP_LANES; }

// Dynamic shared memory has room for what any launch may ask for.
void check_dynamic_bounds(Worker& w, const Event& event, const Request& r) {
  auto begin = reinterpret_cast<uint64_t>(__emu_dynamic_shared);
  if (r.highest - begin >= sizeof __emu_dynamic_shared) return;
  size_t bytes = w.launch->request->shared_bytes;
  if (r.highest + r.size_bytes <= begin + bytes) return;
  report(w, "out_of_bounds", event.pc, 0, r.highest, thread_index(w, r.lane[r.lane_count - 1]),
         "offset %llu of dynamic shared memory, of which the launch asked for %zu bytes", static_cast<unsigned long long>(r.highest - begin), bytes);
}

void examine_against_write(Worker& w, const SharedCell& cell, const Access& self, bool writes) {
  if (cell.write_epoch != self.epoch || !(cell.write_mask & self.mask) || cell.write_thread == self.thread) return;
  if (self.is_atomic && cell.is_atomic_write) return;
  if (!same_warp(cell.write_thread, self.thread)) {
    bool is_equal_write = writes && !self.is_atomic && is_equal_digest(cell.written_digest, self.digest, cell.write_mask & self.mask);
    report(w, is_equal_write ? "possible_shared_race" : "shared_race", self.pc, cell.write_pc, self.address, self.thread, "%s: no barrier orders it with thread %u of the block",
           writes ? "write after write" : "read after write", cell.write_thread);
  } else if (writes && cell.write_pc == self.pc && cell.write_sync == self.sync) {
    report(w, "possible_shared_race", self.pc, cell.write_pc, self.address, self.thread,
           "lanes of one warp write one address in one instruction (the other is thread %u); harmless only if the values are equal",
           cell.write_thread);
  } else if (cell.write_sync == self.sync) {
    report(w, self.is_volatile ? "lock_step" : "missing_syncwarp", self.pc, cell.write_pc, self.address, self.thread,
           "%s: no __syncwarp orders it with thread %u of the same warp", writes ? "write after write" : "read after write", cell.write_thread);
  }
}

void examine_against_read(Worker& w, const SharedCell& cell, const Access& self) {
  if (cell.read_epoch != self.epoch || !(cell.read_mask & self.mask) || (self.is_atomic && cell.is_atomic_read)) return;
  const bool is_last_near = same_warp(cell.read_thread, self.thread);
  if (cell.has_many_readers || !is_last_near) {
    report(w, "shared_race", self.pc, is_last_near ? cell.other_read_pc : cell.read_pc, self.address, self.thread,
           "write after read: no barrier orders it with thread %u of the block", is_last_near ? cell.other_read_thread : cell.read_thread);
  } else if (cell.read_thread != self.thread && cell.read_sync == self.sync && cell.read_pc != self.pc) {
    report(w, self.is_volatile ? "lock_step" : "missing_syncwarp", self.pc, cell.read_pc, self.address, self.thread,
           "write after read: no __syncwarp orders it with thread %u of the same warp", cell.read_thread);
  }
}

void examine_initialised(Worker& w, const SharedCell& cell, const Access& self) {
  uint8_t known = cell.initialised_serial == w.block->serial ? cell.initialised_mask : 0;
  if ((self.mask & ~known) && w.shared_is_tracked)
    report(w, "uninitialised_read", self.pc, 0, self.address, self.thread, "read of shared memory that nothing in this block has written yet");
}

inline __attribute__((always_inline)) void remember_read(SharedCell& cell, const Access& self) {
  bool is_same_thread = cell.read_epoch == self.epoch && cell.read_thread == self.thread;
  if (cell.read_epoch != self.epoch) {
    cell.read_epoch = self.epoch;
    cell.has_many_readers = 0;
    cell.is_atomic_read = self.is_atomic;
  } else {
    if (!same_warp(cell.read_thread, self.thread)) {
      cell.has_many_readers = 1;
      cell.other_read_thread = cell.read_thread;
      cell.other_read_pc = cell.read_pc;
    }
    cell.is_atomic_read = cell.is_atomic_read && self.is_atomic;
  }
  cell.read_mask = static_cast<uint8_t>((is_same_thread ? cell.read_mask : 0) | self.mask);  // of one thread
  cell.read_thread = self.thread;
  cell.read_sync = self.sync;
  cell.read_pc = self.pc;
}

// Forgets what another block has left in the cell.
inline void enter_block(SharedCell& cell, uint32_t block_serial) {
  if (cell.initialised_serial != block_serial) cell.initialised_mask = cell.copied_mask = 0;
  cell.initialised_serial = block_serial;
}

void remember_write(SharedCell& cell, const Access& self) {
  bool is_same_thread = cell.write_epoch == self.epoch && cell.write_thread == self.thread;
  cell.write_epoch = self.epoch;
  cell.write_mask = static_cast<uint8_t>((is_same_thread ? cell.write_mask : 0) | self.mask);  // of one thread
  cell.write_thread = self.thread;
  cell.write_sync = self.sync;
  cell.write_pc = self.pc;
  cell.is_atomic_write = self.is_atomic;
  cell.written_digest = joined_digest(cell.written_digest, self.digest, self.mask);
}

// What a write makes of the word's bytes; `is_copy`: it belongs to an asynchronous copy, which makes them neither initialised nor what
// they were.
void note_written(SharedCell& cell, const Access& self, uint32_t block_serial, bool is_copy) {
  enter_block(cell, block_serial);
  cell.initialised_mask = static_cast<uint8_t>(is_copy ? cell.initialised_mask & ~self.mask : cell.initialised_mask | self.mask);
  cell.copied_mask = (is_copy ? cell.copied_mask | self.mask : cell.copied_mask & ~self.mask) & WHOLE_WORD;
}

bool is_being_copied(const SharedCell& cell, const Access& self, uint32_t block_serial) {
  return cell.initialised_serial == block_serial && (cell.copied_mask & self.mask);
}

void report_copied(Worker& w, const SharedCell& cell, const Access& self, bool writes) {
  report(w, "async_copy_not_awaited", self.pc, cell.write_pc, self.address, self.thread,
         "%s of shared memory that an asynchronous copy of thread %u is still writing: that thread has not waited for it", writes ? "write" : "read",
         cell.write_thread);
}

struct Kind { bool reads, writes, is_copy; };

void examine(Worker& w, const SharedCell& cell, const Access& self, Kind kind) {
  examine_against_write(w, cell, self, kind.writes);
  if (kind.writes) examine_against_read(w, cell, self);
}

void remember(SharedCell& cell, const Access& self, Kind kind) {
  if (kind.reads) remember_read(cell, self);
  if (kind.writes) remember_write(cell, self);
}

// Calls f(the byte's cell, access to that byte) for each byte of the access.
template <class F>
void for_each_byte(Worker& w, Access self, F f) {
  const uint64_t word = self.address & ~uint64_t{3};
  const uint8_t bytes = self.mask;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(bytes >> i & 1)) continue;
    self.mask = static_cast<uint8_t>(1u << i);
    self.address = word + i;
    f(w.shared_shadow.byte_at(self.address), self);
  }
}

// One word of an access, in the order in which the hardware would see it. Of parts of a word, other parts are other threads' business.
void visit_word(Worker& w, SharedCell& cell, const Access& self, Kind kind) {
  const bool is_whole = self.mask == WHOLE_WORD, is_copied = is_being_copied(cell, self, w.block->serial);
  if (is_copied) report_copied(w, cell, self, kind.writes);
  if (!is_copied) examine(w, cell, self, kind);
  if (!is_copied && is_whole && cell.has_bytes) for_each_byte(w, self, [&](SharedCell& part, const Access& byte) { examine(w, part, byte, kind); });
  if (!is_copied && kind.reads) examine_initialised(w, cell, self);
  if (kind.writes) note_written(cell, self, w.block->serial, kind.is_copy);
  if (is_whole) return remember(cell, self, kind);
  cell.has_bytes = 1;
  if (kind.is_copy) cell.write_pc = self.pc, cell.write_thread = self.thread;  // for what is said of the copy
  for_each_byte(w, self, [&](SharedCell& part, const Access& byte) {
    if (!is_copied) examine(w, part, byte, kind);
    remember(part, byte, kind);
  });
}

// Most reads: of a word that this block has written, but not since the last barrier.
inline bool is_quiet(const SharedCell& cell, const Access& self, uint32_t block_serial) {
  return cell.write_epoch != self.epoch && cell.initialised_serial == block_serial && !(self.mask & ~cell.initialised_mask) && !cell.has_bytes;
}

// Reads of one whole word per lane; lanes in a row that read the same word are one visit with the last lane's name.
void check_word_reads(Worker& w, const Access& event, const Request& r) {
  const uint32_t block_serial = w.block->serial;
  for (unsigned i = 0; i < r.lane_count; ++i) {
    SharedCell& cell = w.shared_shadow.at(r.address[i]);
    Access self{r.address[i], event.epoch, event.sync, event.pc, 0, WHOLE_WORD, 0, event.is_atomic, event.is_volatile};
    const bool is_plain = is_quiet(cell, self, block_serial);
    while (is_plain && i + 1 < r.lane_count && r.address[i + 1] == self.address) ++i;
    self.thread = static_cast<uint16_t>(thread_index(w, r.lane[i]));
    if (is_plain) remember_read(cell, self);
    else visit_word(w, cell, self, {true, false, false});
  }
}

// Calls f(cell, access) for each word of the request.
template <class F>
void for_each_word(Worker& w, Access self, const Request& r, bool writes, F f) {
  for (unsigned i = 0; i < r.lane_count; ++i) {
    self.thread = static_cast<uint16_t>(thread_index(w, r.lane[i]));
    uint64_t a = r.address[i], end = a + r.size_bytes;
    while (a < end) {
      unsigned first = a % 4, bytes = static_cast<unsigned>(std::min<uint64_t>(4 - first, end - a));
      self.mask = static_cast<uint8_t>(((1u << bytes) - 1) << first);
      self.address = a;
      self.digest = writes ? digest_word(a) : 0;
      f(w.shared_shadow.at(a), self);
      a += bytes;
    }
  }
}

Access access_of(const Worker& w, const Event& event) {
  bool is_atomic = (event.kind & EVENT_KIND_MASK) == EVENT_ATOMIC;
  return {0, w.barrier_epoch, w.block->warps[w.warp_index].sync_epoch, event.pc, 0, 0, 0, is_atomic, (event.kind & EVENT_VOLATILE) != 0};
}

}  // namespace

void check_shared(Worker& w, Site& site, const Event& event, const Request& r) {
  const bool is_known = r.lowest >= site.known_begin && r.highest + r.size_bytes <= site.known_end;
  if (!is_known) {
    uint64_t address[WARP_LANES];
    uint8_t lane[WARP_LANES];
    unsigned count;
    const bool is_outside = w.launch->is_checked && find_outside(w, site, event, r, address, lane, count);
    if (is_outside) return count ? check_shared(w, site, event, make_request(address, lane, count, r.size_bytes)) : void();
  }
  check_dynamic_bounds(w, event, r);
  if (!w.launch->is_checked) return;
  unsigned kind = event.kind & EVENT_KIND_MASK;
  Kind how{kind != EVENT_STORE, kind != EVENT_LOAD, (event.kind & EVENT_COPY) != 0};
  Access self = access_of(w, event);
  if (!how.writes && r.size_bytes == 4) return check_word_reads(w, self, r);
  for_each_word(w, self, r, how.writes, [&](SharedCell& cell, const Access& word) { visit_word(w, cell, word, how); });
}

void check_copy_end(Worker& w, const Event& event, const Request& r) {
  for_each_word(w, access_of(w, event), r, true, [&](SharedCell& cell, Access& word) {
    if (!is_being_copied(cell, word, w.block->serial)) return;  // something else was written there, which has been reported
    word.pc = cell.write_pc;                                    // the place of the copy, not of the wait
    note_written(cell, word, w.block->serial, false);
    if (word.mask == WHOLE_WORD) return remember_write(cell, word);
    for_each_byte(w, word, [](SharedCell& part, const Access& byte) { remember_write(part, byte); });
  });
}

}  // namespace emu
