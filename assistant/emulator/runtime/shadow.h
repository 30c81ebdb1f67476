// Memory about memory: which bytes are initialised, who touched a word last, which sectors a block has used.
//
// All tables are reserved address space, touched only where the program touches its own memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "trace.h"

namespace emu {

// Position of a global address (arena or the program's own static data) in the tables.
uint64_t flat(uint64_t address);

// --- initialised bytes of device allocations: one bit a byte -----------------------------------------------------------
void set_initialised(uint64_t begin, uint64_t bytes);
void clear_initialised(uint64_t begin, uint64_t bytes);
void copy_initialised(uint64_t destination, uint64_t source, uint64_t bytes);
bool is_initialised(uint64_t address, uint64_t bytes);
bool is_any_initialised(uint64_t address, uint64_t bytes);

// --- distinct sectors --------------------------------------------------------------------------------------------------
// Last block (by serial) of one worker that used a sector.
class SectorShadow {
 public:
  void reserve();
  // True at the block's first use of the sector.
  bool enter(uint64_t sector, uint32_t block_serial) {
    uint32_t& last = table_[flat(sector * 32) / 32];
    if (last == block_serial) return false;
    last = block_serial;
    return true;
  }

 private:
  uint32_t* table_ = nullptr;
};
// True at the grid's first use of the sector; any worker may ask.
bool enter_grid_sector(uint64_t sector, uint32_t launch_serial);

// The sectors of one kind of access, each once; it gives up when they are so many that nobody needs their number.
class DistinctSectors {
 public:
  void enter(const uint64_t* sector, unsigned count) {
    for (unsigned i = 0; i < count && !is_full(); ++i) seen_.insert(sector[i]);
  }
  // Adds them to `total` and forgets them.
  void drain_into(DistinctSectors& total) {
    total.seen_.insert(seen_.begin(), seen_.end());
    seen_.clear();
  }
  // 0 when there are none or too many.
  uint64_t count() const { return is_full() ? 0 : seen_.size(); }

 private:
  static constexpr size_t MOST = 1 << 16;    // 2 MiB of counters: threads seldom meet there
  bool is_full() const { return seen_.size() >= MOST; }
  std::unordered_set<uint64_t> seen_;
};

// Four bits for each byte of the aligned word that holds the address: tells different values apart, mostly.
inline uint16_t digest_word(uint64_t address) {
  uint32_t word;
  memcpy(&word, reinterpret_cast<const void*>(address & ~uint64_t{3}), sizeof word);
  word = (word ^ word >> 4) & 0x0f0f0f0fu;
  word |= word >> 4;
  return static_cast<uint16_t>((word & 0xffu) | (word >> 8 & 0xff00u));
}

// Tells values of up to 16 bytes apart, mostly; never 0.
inline uint16_t digest_stored(const void* value, unsigned bytes) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(value)[i]) * 0x9E3779B97F4A7C15ull;
  return static_cast<uint16_t>(hash >> 48 ? hash >> 48 : 1);
}

// Of a digest, the bits of the bytes of `mask`.
inline uint16_t digest_bits(uint8_t mask) {
  constexpr uint16_t SPREAD[16] = {0x0000, 0x000f, 0x00f0, 0x00ff, 0x0f00, 0x0f0f, 0x0ff0, 0x0fff,
                                   0xf000, 0xf00f, 0xf0f0, 0xf0ff, 0xff00, 0xff0f, 0xfff0, 0xffff};
  return SPREAD[mask];
}

// Whether two digests agree in the bytes of `mask`.
inline bool is_equal_digest(uint16_t a, uint16_t b, uint8_t mask) { return ((a ^ b) & digest_bits(mask)) == 0; }

// `digest` with the bytes of `mask` taken from `other`.
inline uint16_t joined_digest(uint16_t digest, uint16_t other, uint8_t mask) {
  return static_cast<uint16_t>(digest ^ ((digest ^ other) & digest_bits(mask)));
}

// --- shared memory, per worker: one cell per 4-byte word, and one per byte where parts of words are accessed ---------------
struct SharedCell {
  uint32_t write_epoch, read_epoch;          // barrier epoch of the last write and read; other fields count only if current
  uint32_t write_pc, read_pc;
  uint32_t write_sync, read_sync;            // warp-sync epoch of the accessing warp
  uint32_t other_read_pc;                    // with has_many_readers: of a thread of another warp than the last reader
  uint16_t write_thread, read_thread, other_read_thread;
  uint8_t write_mask, read_mask;             // bytes of the word
  uint8_t is_atomic_write : 1, is_atomic_read : 1, has_many_readers : 1;  // many: of several warps
  uint8_t has_bytes : 1;                     // accesses of parts of the word are in the cells of its bytes
  uint8_t copied_mask : 4;                   // bytes that an asynchronous copy writes which has not been waited for; valid as the next
  uint8_t initialised_mask;                  // valid if initialised_serial is the current block's
  uint16_t written_digest;                   // of what was written last to each byte
  uint32_t initialised_serial;
};

class SharedShadow {
 public:
  void reserve(uint64_t begin, uint64_t bytes);
  SharedCell& at(uint64_t address) { return cells_[(address - begin_) / 4]; }
  SharedCell& byte_at(uint64_t address) { return byte_cells_[address - begin_]; }

 private:
  uint64_t begin_ = 0;
  SharedCell *cells_ = nullptr, *byte_cells_ = nullptr;
};

// --- global memory, per process: one cell per 4-byte word, and one per byte where parts of words are accessed -------------
// The last access of one kind. Packed by hand: it is rewritten at every access.
struct CellAccess {
  uint32_t block;                            // linear + 1; 0: none
  uint32_t place;                            // program counter in 28 bits, bytes of the word in 4
  uint32_t moment;                           // barriers of the block before it in 18 bits, thread in 10, CellHow in 4
  uint32_t pc() const { return place & ((1u << 28) - 1); }
  uint8_t mask() const { return static_cast<uint8_t>(place >> 28); }
  uint32_t epoch() const { return moment & ((1u << 18) - 1); }
  uint16_t thread() const { return moment >> 18 & 1023; }
  unsigned how() const { return moment >> 28; }
};
enum CellHow : unsigned {
  CELL_STRONG = 1,                           // atomic or volatile
  CELL_BLOCK_SCOPE = 2,                      // a write that is atomic only to its block
  CELL_MANY_WARPS = 4, CELL_MANY_BLOCKS = 8,  // reads of others before the last one
};
inline uint32_t cell_place(uint32_t pc, uint8_t mask) { return pc | uint32_t{mask} << 28; }
inline uint32_t cell_moment(uint32_t epoch, unsigned thread, unsigned how) { return (epoch & ((1u << 18) - 1)) | thread << 18 | how << 28; }
constexpr uint64_t CELL_PC_LIMIT = 1u << 28;   // global races are looked for in programs whose text lies below

// 32 bytes, so that a cell never crosses a cache line.
struct GlobalCell {
  CellAccess write, read;
  uint16_t race_serial;                      // the cell is empty unless this is the current one
  uint16_t written_digest;                   // of what was written last to each byte
  uint32_t syncs;                            // warp operations before the write in 14 bits, before the read in 14, launch_mask in 4
  uint32_t write_sync() const { return syncs & ((1u << 14) - 1); }
  uint32_t read_sync() const { return syncs >> 14 & ((1u << 14) - 1); }
  uint8_t launch_mask() const { return static_cast<uint8_t>(syncs >> 28); }  // bytes that this launch has written, also before its last
                                                                             // grid barrier
  bool has_bytes() const { return write.moment >> 31; }                      // accesses of parts of the word are in the cells of its bytes
  void note_bytes() { write.moment |= 1u << 31; }
};
static_assert(sizeof(GlobalCell) == 32);
constexpr uint32_t CELL_EPOCH_MASK = (1u << 18) - 1, CELL_SYNC_MASK = (1u << 14) - 1;
// Cells of words by flat(address) / 4, behind them those of bytes by first_byte_cell() + flat(address). Reserves the table at the first
// call; nullptr if the address space is not to be had.
GlobalCell* global_cells();
uint64_t first_byte_cell();
// The first two readers of different warps or blocks, of a cell whose flags say that there were several (CELL_MANY_WARPS,
// CELL_MANY_BLOCKS); nullptr if the address space is not to be had.
struct FirstReaders { CellAccess one, other; };
FirstReaders* first_readers();
// Empties all cells, those below too: race serials start again.
void clear_global_cells();

// More of the word in launches that are checked for order: when it was written and read last, in ticks of the order log (order.h), and by
// which other block before that.
struct EarlierAccess {
  CellAccess access;
  uint32_t sync, tick;
};
struct OrderCell {
  uint32_t race_serial;                      // as in GlobalCell
  uint32_t write_tick, read_tick;
  EarlierAccess other_write, other_read;
};
OrderCell* order_cells();

// Locks the cells around an address for one request.
class RegionLock {
 public:
  explicit RegionLock(uint64_t address);
  ~RegionLock();
  RegionLock(const RegionLock&) = delete;
  RegionLock& operator=(const RegionLock&) = delete;

 private:
  uint32_t index_;
};

}  // namespace emu
