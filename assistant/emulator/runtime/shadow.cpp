#include "shadow.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include "abi.h"
#include "memory.h"
#include "options.h"

namespace emu {
namespace {

void* reserve_sparse_table(uint64_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

void* reserve_table(uint64_t bytes) {
  void* place = reserve_sparse_table(bytes);
  if (!place) return nullptr;
  madvise(place, bytes, MADV_HUGEPAGE);  // the tables are as dense as the program's arrays; small pages fault too often
  return place;
}

[[noreturn]] void exit_without_space() {
  fprintf(stderr, "emulator: cannot reserve address space for the counters; raise the limit on virtual memory (ulimit -v)\n");
  exit(3);
}

void* reserve_or_exit(uint64_t bytes) {
  void* place = reserve_table(bytes);
  if (!place) exit_without_space();
  return place;
}

uint64_t flat_bytes() {
  ProgramImage image = program_image();
  return arena().size + (image.end - image.data_begin) + 64;
}

constexpr uint64_t WORD_BITS = 64;
constexpr uint64_t MOST_HUGE_BYTES = uint64_t{1} << 30;

std::atomic<uint64_t>* initialised_bits() {
  static auto* bits = static_cast<std::atomic<uint64_t>*>(reserve_or_exit(arena().size / 8));
  return bits;
}

// Calls f(word index, bits) for the bit range [begin, begin + count): words, as allocations of gigabytes are asked about too.
template <class F>
void for_each_mask(uint64_t begin, uint64_t count, F f) {
  uint64_t end = begin + count;
  while (begin < end) {
    uint64_t word = begin / WORD_BITS, first = begin % WORD_BITS, n = std::min<uint64_t>(WORD_BITS - first, end - begin);
    f(word, (n == WORD_BITS ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << first);
    begin += n;
  }
}

constexpr size_t REGION_LOCKS = 4096;
std::atomic<bool> region_locks[REGION_LOCKS];

}  // namespace

uint64_t flat(uint64_t address) {
  static const ArenaRange range = arena();
  static const uint64_t data_begin = program_image().data_begin;
  if (in_range(address, range.begin, range.size)) return address - range.begin;
  return range.size + (address - data_begin);
}

void set_initialised(uint64_t begin, uint64_t bytes) {
  auto* bits = initialised_bits();
  for_each_mask(begin - arena().begin, bytes, [&](uint64_t i, uint64_t mask) {
    if ((bits[i].load(std::memory_order_relaxed) & mask) != mask) bits[i].fetch_or(mask, std::memory_order_relaxed);
  });
}

void clear_initialised(uint64_t begin, uint64_t bytes) {
  auto* bits = initialised_bits();
  for_each_mask(begin - arena().begin, bytes, [&](uint64_t i, uint64_t mask) {
    if (bits[i].load(std::memory_order_relaxed) & mask) bits[i].fetch_and(~mask, std::memory_order_relaxed);
  });
}

void copy_initialised(uint64_t destination, uint64_t source, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    if (is_initialised(source + i, 1)) set_initialised(destination + i, 1);
    else clear_initialised(destination + i, 1);
}

bool is_any_initialised(uint64_t address, uint64_t bytes) {
  auto* bits = initialised_bits();
  bool is_any = false;
  for_each_mask(address - arena().begin, bytes, [&](uint64_t i, uint64_t mask) {
    is_any = is_any || (bits[i].load(std::memory_order_relaxed) & mask);
  });
  return is_any;
}

bool is_initialised(uint64_t address, uint64_t bytes) {
  auto* bits = initialised_bits();
  bool is_set = true;
  for_each_mask(address - arena().begin, bytes, [&](uint64_t i, uint64_t mask) {
    is_set = is_set && (bits[i].load(std::memory_order_relaxed) & mask) == mask;
  });
  return is_set;
}

void SectorShadow::reserve() {
  if (table_) return;
  uint64_t bytes = flat_bytes() / 32 * sizeof(uint32_t) + 64;
  // Every worker has one: of gigabytes that a few blocks each reach, huge pages of all tables would take more than the data.
  bool is_dense = emu_memory_used() / 32 * sizeof(uint32_t) * options().worker_count <= MOST_HUGE_BYTES;
  table_ = static_cast<uint32_t*>(is_dense ? reserve_or_exit(bytes) : reserve_sparse_table(bytes));
  if (!table_) exit_without_space();
}

bool enter_grid_sector(uint64_t sector, uint32_t launch_serial) {
  static auto* table = static_cast<std::atomic<uint32_t>*>(reserve_or_exit(flat_bytes() / 32 * sizeof(uint32_t) + 64));
  std::atomic<uint32_t>& last = table[flat(sector * 32) / 32];
  if (last.load(std::memory_order_relaxed) == launch_serial) return false;
  return last.exchange(launch_serial, std::memory_order_relaxed) != launch_serial;
}

void SharedShadow::reserve(uint64_t begin, uint64_t bytes) {
  if (cells_) return;
  begin_ = begin & ~uint64_t{3};
  const uint64_t words = bytes / 4 + 8;
  cells_ = static_cast<SharedCell*>(reserve_or_exit(5 * words * sizeof(SharedCell)));
  byte_cells_ = cells_ + words;
}

namespace {
uint64_t cell_count() { return first_byte_cell() + flat_bytes(); }
uint64_t global_cell_bytes() { return cell_count() * sizeof(GlobalCell); }
uint64_t order_cell_bytes() { return cell_count() * sizeof(OrderCell); }
}  // namespace

uint64_t first_byte_cell() { return flat_bytes() / 4 + 1; }

GlobalCell* global_cells() {
  static auto* cells = static_cast<GlobalCell*>(reserve_table(global_cell_bytes()));
  return cells;
}

OrderCell* order_cells() {
  static auto* cells = static_cast<OrderCell*>(reserve_table(order_cell_bytes()));
  return cells;
}

FirstReaders* first_readers() {
  static auto* readers = static_cast<FirstReaders*>(reserve_sparse_table(cell_count() * sizeof(FirstReaders)));
  return readers;
}

void clear_global_cells() {
  if (GlobalCell* cells = global_cells()) madvise(cells, global_cell_bytes(), MADV_DONTNEED);
  if (OrderCell* cells = order_cells()) madvise(cells, order_cell_bytes(), MADV_DONTNEED);
}

RegionLock::RegionLock(uint64_t address) : index_(static_cast<uint32_t>(address / 4096 % REGION_LOCKS)) {
  while (region_locks[index_].exchange(true, std::memory_order_acquire)) __builtin_ia32_pause();
}

RegionLock::~RegionLock() { region_locks[index_].store(false, std::memory_order_release); }

}  // namespace emu
