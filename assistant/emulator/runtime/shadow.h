// Memory about memory: which bytes are initialised, who touched a word last, which sectors a block has used.
//
// All tables are reserved address space, touched only where the program touches its own memory.
#pragma once
#include <cstddef>
#include <cstdint>
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

// Eight bits of the aligned word that holds the address.
uint8_t digest_word(uint64_t address);

// --- shared memory, per worker: one cell per 4-byte word ----------------------------------------------------------------
struct SharedCell {
  uint32_t write_epoch, read_epoch;          // barrier epoch of the last write and read; other fields count only if current
  uint32_t write_pc, read_pc;
  uint32_t write_sync, read_sync;            // warp-sync epoch of the accessing warp
  uint16_t write_thread, read_thread;
  uint8_t write_mask, read_mask;             // bytes of the word
  uint8_t is_atomic_write : 1, is_atomic_read : 1, has_many_readers : 1;  // many: of several warps
  uint8_t initialised_mask;                  // valid if initialised_serial is the current block's
  uint8_t written_digest;                    // as in GlobalCell
  uint32_t initialised_serial;
};

class SharedShadow {
 public:
  void reserve(uint64_t begin, uint64_t bytes);
  SharedCell& at(uint64_t address) { return cells_[(address - begin_) / 4]; }

 private:
  uint64_t begin_ = 0;
  SharedCell* cells_ = nullptr;
};

// --- global memory, per process: one cell per 4-byte word ---------------------------------------------------------------
// 32 bytes, so that a cell never crosses a cache line.
struct GlobalCell {
  uint32_t race_serial;                      // the cell is empty unless this is the current one
  uint32_t write_block, read_block;          // linear block + 1; 0: none
  uint32_t write_pc, read_pc;
  uint32_t write_epoch : 22, write_thread : 10;  // barrier epoch of that block, modulo 2^22
  uint32_t read_epoch : 22, read_thread : 10;
  uint8_t write_mask, read_mask;
  uint8_t written_digest;                    // of the word after the last write; tells different values apart, mostly
  uint8_t is_atomic_write : 1, is_atomic_read : 1, has_many_reader_blocks : 1, has_many_reader_warps : 1;
};
static_assert(sizeof(GlobalCell) == 32);
constexpr uint32_t GLOBAL_EPOCH_MASK = (1u << 22) - 1;
// Reserves the table at the first call; nullptr if the address space is not to be had.
GlobalCell* global_cells();
GlobalCell& global_cell(GlobalCell* cells, uint64_t address);

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
