// Races on global memory: two threads access a word, one writes, and nothing in the launch orders them; and loads that may be served
// from a cache which no write reaches, of what the launch has written.
//
// Threads of different blocks are ordered by grid barriers, threads of one block by its barriers, threads of one warp by warp operations,
// and all of them by fences and signals (order.h) in launches that are checked for order. In others, an atomic on one side may be part of
// a protocol that cannot be seen here: then the race is only possible. Two plain writes that leave the same value (a flag that many threads
// set) are a possible race, too. Atomic and volatile accesses do not race with each other, but for atomics of block scope in two blocks.
#include <algorithm>
#include <atomic>

#include "memory.h"
#include "requests.h"

namespace emu {
namespace {

struct Access {
  AccessPoint at;        // `block`: linear + 1, as in cells
  uint32_t pc;
  uint64_t address;
  uint8_t mask;
  bool reads, writes, is_strong, is_volatile, is_block_scope;
  bool has_digest;       // the memory can be read: the access was in bounds
  uint16_t digest;       // of the word now, after the access
};

// The access that a cell remembers.
struct Earlier {
  AccessPoint at;
  uint32_t pc;
  bool is_write, is_strong, is_block_scope;
};

Earlier earlier(const CellAccess& access, uint32_t sync, uint32_t tick, bool is_write) {
  bool is_block_scope = is_write && (access.how() & CELL_BLOCK_SCOPE);
  return {{access.block, access.epoch(), sync, tick, access.thread()}, access.pc(), is_write, (access.how() & CELL_STRONG) != 0, is_block_scope};
}

enum class Relation { none, lanes, warps, blocks };  // none: one thread's, or ordered

Relation relation(const AccessPoint& a, const AccessPoint& b) {
  if (a.block == 0) return Relation::none;
  if (a.block != b.block) return Relation::blocks;
  if (a.thread == b.thread || a.epoch != b.epoch) return Relation::none;
  if (a.thread / WARP_LANES != b.thread / WARP_LANES) return Relation::warps;
  return a.sync == b.sync ? Relation::lanes : Relation::none;
}

const char* pattern(const Access& self, const Earlier& other) {
  if (!other.is_write) return "write after read";
  return self.writes ? "write after write" : "read after write";
}

// An atomic on one side may be part of a protocol.
void report_lanes(Worker& w, const Access& self, const Earlier& other) {
  const char* kind = self.is_volatile ? "lock_step" : self.is_strong || other.is_strong ? "possible_global_race" : "missing_syncwarp";
  report(w, kind, self.pc, other.pc, self.address, self.at.thread,
         "%s: no __syncwarp orders it with thread %u of the same warp", pattern(self, other), other.at.thread);
}

void report_race(Worker& w, const Access& self, const Earlier& other, bool is_possible) {
  report(w, is_possible ? "possible_global_race" : "global_race", self.pc, other.pc, self.address, self.at.thread,
         "%s: no barrier orders it with thread %u of block %u (linear indices)", pattern(self, other), other.at.thread, other.at.block - 1);
}

void report_missing_fence(Worker& w, const Access& self, const Earlier& other, bool is_possible) {
  report(w, is_possible ? "possible_missing_fence" : "missing_fence", self.pc, other.pc, self.address, self.at.thread,
         "%s: thread %u of block %u (linear indices) signals it without a __threadfence() between its %s and the signal", pattern(self, other),
         other.at.thread, other.at.block - 1, other.is_write ? "write" : "read");
}

// The signal that says so is seen, but not fenced.
void report_unseen(Worker& w, const Access& self, const Earlier& other) {
  report(w, "possible_missing_fence", self.pc, other.pc, self.address, self.at.thread,
         "%s of thread %u of block %u (linear indices): no __threadfence() stands between the access that sees its signal and this one",
         pattern(self, other), other.at.thread, other.at.block - 1);
}

AccessPoint in_log(AccessPoint at) {
  --at.block;
  return at;
}

uint64_t word_of(uint64_t address) { return address & ~uint64_t{3}; }

// A launch that is checked for order: a race only if neither fences and signals nor accesses of this very word order the two.
void judge_order(Worker& w, const Access& self, const Earlier& other, bool is_equal_write) {
  OrderLog& log = *w.order;
  AccessPoint first = in_log(other.at), second = in_log(self.at);
  w.counters.mark_unordered(self.pc, other.pc);
  if (w.settled_races.count({self.pc, other.pc})) return;
  if (other.is_strong && !other.is_block_scope && log.has_seen(first, second, word_of(self.address))) return;
  Ordering ordering = log.judge(first, second, self.is_strong);
  bool is_sure = !is_equal_write && !self.is_strong && !other.is_strong;
  if (is_sure && (ordering == Ordering::no_writer_fence || ordering == Ordering::unordered)) w.settled_races.insert({self.pc, other.pc});
  switch (ordering) {
    case Ordering::ordered: return;
    case Ordering::no_reader_fence: return report_unseen(w, self, other);
    case Ordering::no_syncwarp:
      return report(w, "missing_syncwarp", self.pc, other.pc, self.address, self.at.thread,
                    "%s of thread %u of block %u (linear indices): no __syncwarp orders it with the lane of its warp that fences and signals",
                    pattern(self, other), other.at.thread, other.at.block - 1);
    case Ordering::no_writer_fence: return report_missing_fence(w, self, other, is_equal_write);
    case Ordering::unknown: return report_race(w, self, other, true);
    case Ordering::unordered: return report_race(w, self, other, !is_sure);
  }
}

// Both are atomic or volatile: no race, but what was read may be older than what was signalled since.
void judge_strong(Worker& w, const Access& self, const Earlier& other) {
  w.counters.mark_unordered(self.pc, other.pc);
  if (!other.is_write || self.writes || !self.is_volatile) return;
  Ordering ordering = w.order->judge(in_log(other.at), in_log(self.at), true, word_of(self.address));
  if (ordering == Ordering::no_writer_fence) report_missing_fence(w, self, other, true);
}

// Two accesses of different lanes of a warp that no warp operation orders.
void examine_lanes(Worker& w, const Access& self, const Earlier& other) {
  if (other.pc == self.pc || (self.is_strong && other.is_strong && !self.is_volatile)) return;  // one instruction, or two atomics
  Ordering ordering = w.order ? w.order->judge(in_log(other.at), in_log(self.at), self.is_strong) : Ordering::unordered;
  if (ordering == Ordering::ordered) return;
  if (ordering == Ordering::no_reader_fence) return report_unseen(w, self, other);
  if (w.order && w.order->take_turns(in_log(other.at), in_log(self.at))) return;
  report_lanes(w, self, other);
}

// Two accesses of different warps or blocks that no barrier orders.
void examine_apart(Worker& w, Relation how, const Access& self, const Earlier& other, bool is_equal_write) {
  bool are_strong = self.is_strong && other.is_strong;
  if (are_strong && how == Relation::blocks && (self.is_block_scope || other.is_block_scope))
    return report(w, "global_race", self.pc, other.pc, self.address, self.at.thread,
                  "an atomic of block scope is none to thread %u of block %u (linear indices)", other.at.thread, other.at.block - 1);
  if (are_strong) return w.order ? judge_strong(w, self, other) : void();
  if (w.order) return judge_order(w, self, other, is_equal_write);
  report_race(w, self, other, is_equal_write || self.is_strong || other.is_strong);
}

void examine_against(Worker& w, const Access& self, const Earlier& other, bool is_equal_write) {
  switch (Relation how = relation(other.at, self.at)) {
    case Relation::none: return;
    case Relation::lanes: return is_equal_write ? void() : examine_lanes(w, self, other);
    default: return examine_apart(w, how, self, other, is_equal_write);
  }
}

// Whether others than the last reader have read the word, so that the write races with a read that nobody remembers.
bool has_unknown_readers(const CellAccess& read, const AccessPoint& at) {
  return (read.how() & CELL_MANY_BLOCKS) || ((read.how() & CELL_MANY_WARPS) && read.block == at.block && read.epoch() == at.epoch);
}

void examine_write(Worker& w, const GlobalCell& cell, const OrderCell* order, const Access& self) {
  bool is_equal_write = self.has_digest && !(cell.write.how() & CELL_STRONG) && is_equal_digest(self.digest, cell.written_digest, cell.write.mask() & self.mask);
  examine_against(w, self, earlier(cell.write, cell.write_sync(), order ? order->write_tick : 0, true), is_equal_write);
}

// One that the writing thread did not have to wait for, of the first readers.
const CellAccess* unordered_reader(const FirstReaders* readers, const AccessPoint& at) {
  if (!readers) return nullptr;
  for (const CellAccess* reader : {&readers->one, &readers->other})
    if (relation(earlier(*reader, 0, 0, false).at, at) > Relation::lanes) return reader;
  return nullptr;
}

// `readers`: the first ones, if the cell says that there were several.
void examine_read(Worker& w, const GlobalCell& cell, const OrderCell* order, const FirstReaders* readers, const Access& self) {
  if (self.is_strong && (cell.read.how() & CELL_STRONG)) return;
  Earlier reader = earlier(cell.read, cell.read_sync(), order ? order->read_tick : 0, false);
  if (!w.order && relation(reader.at, self.at) == Relation::none && has_unknown_readers(cell.read, self.at)) {
    bool reads_too = self.reads && reader.at.block == self.at.block && reader.at.thread == self.at.thread;
    if (reads_too) return;
    const CellAccess* known = unordered_reader(readers, self.at);
    if (known) return examine_apart(w, Relation::blocks, self, earlier(*known, 0, 0, false), false);
    return report(w, self.is_strong ? "possible_global_race" : "global_race", self.pc, 0, self.address, self.at.thread,
                  "write after read: no barrier orders it with the reads of others");
  }
  examine_against(w, self, reader, false);
}

// The last access is often the own block's, as many blocks read or add to one word; then another's is hidden behind it.
void examine_other(Worker& w, const EarlierAccess& other, const Access& self, bool is_write) {
  bool are_strong = self.is_strong && (other.access.how() & CELL_STRONG);
  if (!(other.access.mask() & self.mask) || other.access.block == self.at.block || are_strong) return;
  examine_against(w, self, earlier(other.access, other.sync, other.tick, is_write), false);
}

void examine_others(Worker& w, const OrderCell& order, const Access& self) {
  examine_other(w, order.other_write, self, true);
  if (self.writes) examine_other(w, order.other_read, self, false);
}

void remember_order(OrderCell& order, const GlobalCell& cell, const Access& self) {
  if (self.reads && cell.read.block && cell.read.block != self.at.block) order.other_read = {cell.read, cell.read_sync(), order.read_tick};
  bool hides_atomic = cell.write.mask() && (cell.write.how() & CELL_STRONG) && cell.write.block != self.at.block;
  if (self.writes && hides_atomic) order.other_write = {cell.write, cell.write_sync(), order.write_tick};
  if (self.reads) order.read_tick = self.at.tick;
  if (self.writes) order.write_tick = self.at.tick;
}

// The bytes of one thread's accesses in one phase. Those of other threads are forgotten: what is remembered is always one thread's.
inline uint8_t joined_mask(const CellAccess& before, const Access& self) {
  bool is_same_thread = before.block == self.at.block && before.epoch() == self.at.epoch && before.thread() == self.at.thread;
  return static_cast<uint8_t>((is_same_thread ? before.mask() : 0) | self.mask);
}

inline void remember_read(GlobalCell& cell, FirstReaders* readers, const Access& self) {
  CellAccess& read = cell.read;
  const CellAccess before = read;
  unsigned how = self.is_strong && (read.block == 0 || (read.how() & CELL_STRONG)) ? CELL_STRONG : 0u;
  if (read.block) {
    how |= read.how() & CELL_MANY_BLOCKS;
    if (read.block != self.at.block) how |= CELL_MANY_BLOCKS;
    else if (read.epoch() == self.at.epoch)
      how |= (read.how() & CELL_MANY_WARPS) | (read.thread() / WARP_LANES != self.at.thread / WARP_LANES ? CELL_MANY_WARPS : 0u);
  }
  read = {self.at.block, cell_place(self.pc, joined_mask(read, self)), cell_moment(self.at.epoch, self.at.thread, how)};
  if (readers && (how & (CELL_MANY_WARPS | CELL_MANY_BLOCKS) & ~before.how())) *readers = {before, read};
  cell.syncs = (cell.syncs & ~(CELL_SYNC_MASK << 14)) | self.at.sync << 14;
}

inline void remember_write(GlobalCell& cell, const Access& self) {
  CellAccess& write = cell.write;
  unsigned how = (self.is_strong ? CELL_STRONG : 0u) | (self.is_block_scope ? CELL_BLOCK_SCOPE : 0u);
  uint32_t has_bytes = write.moment & 1u << 31;
  write = {self.at.block, cell_place(self.pc, joined_mask(write, self)), cell_moment(self.at.epoch, self.at.thread, how) | has_bytes};
  cell.written_digest = joined_digest(cell.written_digest, self.digest, self.mask);
  cell.syncs = (cell.syncs & ~CELL_SYNC_MASK) | self.at.sync | uint32_t{self.mask} << 28;
}

// Of an earlier phase of this launch a cell only remembers what was written.
__attribute__((noinline)) void enter_next_phase(GlobalCell& cell) {
  CellAccess write{cell.write.block, cell.write.pc(), cell_moment(0, cell.write.thread(), 0) | (cell.write.moment & 1u << 31)};
  uint32_t launch_mask = cell.syncs & 0xfu << 28;
  cell = GlobalCell{};
  cell.write = write;
  cell.syncs = launch_mask;
}

inline void enter_phase(GlobalCell& cell, uint16_t serial, uint16_t first_serial) {
  if (cell.race_serial == serial) return;
  if (cell.race_serial >= first_serial && cell.race_serial < serial) enter_next_phase(cell);
  else cell = GlobalCell{};  // of another launch
  cell.race_serial = serial;
}

Access access_of(const Worker& w, const Event& event) {
  const unsigned kind = event.kind & EVENT_KIND_MASK;
  Access self{};
  self.at.block = static_cast<uint32_t>(w.block->linear + 1);
  self.at.epoch = w.block->epoch & CELL_EPOCH_MASK;
  self.at.sync = w.block->warps[w.warp_index].sync_epoch & CELL_SYNC_MASK;
  self.at.tick = w.order ? w.order->now() : 0;
  self.pc = event.pc;
  self.reads = kind != EVENT_STORE;
  self.writes = kind == EVENT_STORE || kind == EVENT_ATOMIC;
  self.is_volatile = (event.kind & EVENT_VOLATILE) != 0;
  self.is_strong = kind == EVENT_ATOMIC || self.is_volatile;
  self.is_block_scope = (event.kind & EVENT_BLOCK_SCOPE) != 0;
  return self;
}

struct Cells {
  GlobalCell* cells;
  OrderCell* orders;                         // nullptr: the launch is not checked for order
  FirstReaders* readers;                     // nullptr: it is
  uint16_t serial, first_serial;
  bool has_byte_cells;                       // else the last thread's access stands for a whole word

  explicit Cells(const Worker& w)
      : cells(global_cells()), orders(w.order ? order_cells() : nullptr), readers(w.order ? nullptr : first_readers()), serial(static_cast<uint16_t>(w.launch->race_serial.load(std::memory_order_relaxed))),
        first_serial(static_cast<uint16_t>(w.launch->first_race_serial.load(std::memory_order_relaxed))), has_byte_cells(w.launch->has_byte_cells) {}

  GlobalCell& at(uint64_t index) const {
    enter_phase(cells[index], serial, first_serial);
    return cells[index];
  }
  FirstReaders* readers_at(uint64_t index) const { return readers ? &readers[index] : nullptr; }
  OrderCell* order_at(uint64_t index) const {
    if (!orders) return nullptr;
    if (orders[index].race_serial != serial) orders[index] = OrderCell{serial, 0, 0, {}, {}};
    return &orders[index];
  }
};

constexpr uint8_t WHOLE_WORD = 0xf;

// Calls f(index of the byte's cell, access to that byte) for each byte of the access.
template <class F>
void for_each_byte(Access self, F f) {
  const uint64_t word = self.address & ~uint64_t{3};
  const uint8_t bytes = self.mask;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(bytes >> i & 1)) continue;
    self.mask = static_cast<uint8_t>(1u << i);
    self.address = word + i;
    f(first_byte_cell() + flat(self.address), self);
  }
}

// Calls f(index of the word's cell, access) for each word of the request, under its lock.
template <class F>
inline __attribute__((always_inline)) void for_each_word(Worker& w, const Event& event, const Request& r, F f) {
  constexpr uint64_t REGION_BYTES = 4096;
  Access self = access_of(w, event);
  for (unsigned i = 0; i < r.lane_count;) {
    const uint64_t region = r.address[i] / REGION_BYTES, flat_offset = flat(r.address[i]) - r.address[i];
    RegionLock hold(r.address[i]);
    for (; i < r.lane_count && r.address[i] / REGION_BYTES == region; ++i) {
      self.at.thread = static_cast<uint16_t>(thread_index(w, r.lane[i]));
      uint64_t a = r.address[i], end = a + r.size_bytes;
      while (a < end) {
        unsigned first = a % 4, bytes = static_cast<unsigned>(std::min<uint64_t>(4 - first, end - a));
        self.mask = static_cast<uint8_t>(((1u << bytes) - 1) << first);
        self.address = a;
        f((a + flat_offset) / 4, self);
        a += bytes;
      }
    }
  }
}

inline void examine(Worker& w, const GlobalCell& cell, const OrderCell* order, const FirstReaders* readers, const Access& self) {
  if (cell.write.mask() & self.mask) examine_write(w, cell, order, self);
  if (self.writes && (cell.read.mask() & self.mask)) examine_read(w, cell, order, readers, self);
  if (order) examine_others(w, *order, self);
}

inline void remember(GlobalCell& cell, OrderCell* order, FirstReaders* readers, const Access& self) {
  if (order) remember_order(*order, cell, self);
  if (self.reads) remember_read(cell, readers, self);
  if (self.writes) remember_write(cell, self);
}

// An access of part of a word: other parts are other threads' business.
__attribute__((noinline)) void visit_bytes(Worker& w, const Cells& cells, GlobalCell& word, const Access& self) {
  word.note_bytes();
  for_each_byte(self, [&](uint64_t index, const Access& byte) {
    GlobalCell& cell = cells.at(index);
    OrderCell* order = cells.order_at(index);
    examine(w, cell, order, cells.readers_at(index), byte);
    remember(cell, order, cells.readers_at(index), byte);
  });
}

// A whole word whose parts have been accessed, too.
__attribute__((noinline)) void examine_bytes(Worker& w, const Cells& cells, const Access& self) {
  for_each_byte(self, [&](uint64_t index, const Access& byte) { examine(w, cells.at(index), cells.order_at(index), cells.readers_at(index), byte); });
}

void report_stale(Worker& w, const GlobalCell& cell, const Access& self) {
  if (!(cell.launch_mask() & self.mask)) return;
  report(w, "stale_read", self.pc, cell.write.pc(), self.address, self.at.thread,
         "the load may be served from a cache that holds what stood there before the launch: thread %u of block %u (linear indices) has written it since",
         static_cast<unsigned>(cell.write.thread()), cell.write.block - 1);
}

}  // namespace

void advance_race_serial(Launch& launch, bool is_first) {
  constexpr uint32_t LAST = 0xffff;            // cells keep 16 bits
  static std::atomic<uint32_t> last{0};
  uint32_t next = last.fetch_add(1) + 1;
  if (next > LAST) {
    clear_global_cells();
    last.store(next = 1);
    is_first = true;
  }
  if (is_first) launch.first_race_serial.store(next);
  launch.race_serial.store(next);
}

void check_global_races(Worker& w, const Site& site, const Event& event, const Request& r) {
  const Cells cells(w);
  if (!cells.cells) return;
  const bool is_plain_store = (event.kind & (EVENT_KIND_MASK | EVENT_VOLATILE)) == EVENT_STORE;
  const bool is_readable = is_plain_store && (!site.allocation || site.allocation->is_live);
  for_each_word(w, event, r, [&](uint64_t index, Access& self) {
    GlobalCell& cell = cells.at(index);
    OrderCell* order = cells.order_at(index);
    self.has_digest = is_readable && self.address >= site.known_begin && self.address < site.known_end;
    self.digest = self.has_digest ? digest_word(self.address) : 0;
    examine(w, cell, order, cells.readers_at(index), self);
    if (self.mask != WHOLE_WORD && cells.has_byte_cells) return visit_bytes(w, cells, cell, self);
    if (cell.has_bytes()) examine_bytes(w, cells, self);
    remember(cell, order, cells.readers_at(index), self);
  });
}

void check_read_only(Worker& w, const Event& event, const Request& r) {
  const Cells cells(w);
  if (!cells.cells) return;
  for_each_word(w, event, r, [&](uint64_t index, Access& self) {
    const GlobalCell& cell = cells.at(index);
    report_stale(w, cell, self);
    if (cell.has_bytes()) for_each_byte(self, [&](uint64_t byte_index, const Access& byte) { report_stale(w, cells.at(byte_index), byte); });
  });
}

}  // namespace emu
