#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>

#include "options.h"
#include "shadow.h"

extern "C" char __executable_start, etext, end;
extern "C" __attribute__((weak)) char __data_start;

namespace emu {
namespace {

// Where the arena starts. Its high half read as an int, and its low half as a float, are unlikely data: a recording looks for
// device pointers inside buffers by value.
constexpr uint64_t ARENA_BEGIN = 0x5A3C90000000ull;
constexpr uint64_t ARENA_BYTES = uint64_t{1} << 38;
constexpr uint64_t SMALLEST_ARENA_BYTES = uint64_t{1} << 32;
constexpr uint64_t PAGE_BYTES = 4096;
constexpr uint64_t GAP_BYTES = 65536;

struct Heap {
  std::mutex mutex;
  std::map<uint64_t, Allocation*> by_begin;
  uint64_t next = 0;
  uint64_t used_bytes = 0;
  std::vector<std::pair<uint64_t, uint64_t>> registered_host;
};
Heap& heap() {
  static Heap& instance = *new Heap;
  return instance;
}

uint64_t round_to_page(uint64_t bytes) { return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1); }

ArenaRange reserve_arena() {
  for (uint64_t bytes = ARENA_BYTES; bytes >= SMALLEST_ARENA_BYTES; bytes /= 2) {
    void* place = mmap(reinterpret_cast<void*>(ARENA_BEGIN), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) return {reinterpret_cast<uint64_t>(place), bytes};
  }
  fprintf(stderr, "emulator: cannot reserve address space for device memory; raise the limit on virtual memory (ulimit -v)\n");
  exit(3);
}

// First address where so many bytes fit. Addresses are used again only when the arena is used up, so that a stale pointer
// meets a freed allocation as long as possible.
uint64_t find_place(Heap& h, uint64_t span) {
  ArenaRange range = arena();
  uint64_t limit = range.begin + range.size;
  if (h.next == 0) h.next = range.begin + GAP_BYTES;
  if (h.next + span <= limit) return h.next;
  uint64_t candidate = range.begin + GAP_BYTES;
  for (auto it = h.by_begin.begin(); it != h.by_begin.end();) {
    if (!it->second->is_live) {
      it = h.by_begin.erase(it);  // the record itself stays: sites may still point at it
      continue;
    }
    if (candidate + span + GAP_BYTES <= it->second->begin) return candidate;
    candidate = it->second->mapped_end;
    ++it;
  }
  return candidate + span <= limit ? candidate : 0;
}

bool open_pages(uint64_t begin, uint64_t end) {
  return mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace

ArenaRange arena() {
  static ArenaRange range = reserve_arena();
  return range;
}

Allocation* nearest(uint64_t address) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  auto it = h.by_begin.upper_bound(address);
  return it == h.by_begin.begin() ? nullptr : std::prev(it)->second;
}

Allocation* find_live(uint64_t address) {
  Allocation* candidate = nearest(address);
  return candidate && candidate->is_live && address < candidate->end ? candidate : nullptr;
}

std::vector<Allocation*> live_allocations() {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  std::vector<Allocation*> live;
  for (auto& [begin, allocation] : h.by_begin)
    if (allocation->is_live) live.push_back(allocation);
  return live;
}

bool is_registered_host(uint64_t address) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  for (auto [begin, bytes] : h.registered_host)
    if (in_range(address, begin, bytes)) return true;
  return false;
}

bool is_mapped(uint64_t address) {
  unsigned char residency;
  return mincore(reinterpret_cast<void*>(address & ~(PAGE_BYTES - 1)), 1, &residency) == 0;
}

ProgramImage program_image() {
  auto address = [](char* symbol) { return reinterpret_cast<uint64_t>(symbol); };
  uint64_t data = &__data_start ? address(&__data_start) : address(&etext);
  return {address(&__executable_start), address(&etext), data, address(&end)};
}

}  // namespace emu

using namespace emu;

extern "C" void* emu_malloc(size_t bytes, int space) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  uint64_t size = bytes ? bytes : 1;
  if (size > options().memory_bytes || h.used_bytes + size > options().memory_bytes) return nullptr;
  uint64_t gap = GAP_BYTES + (std::min<uint64_t>(size, uint64_t{64} << 20) / 8 & ~(PAGE_BYTES - 1));
  uint64_t span = round_to_page(size) + gap;
  uint64_t begin = find_place(h, span);
  if (begin == 0 || !open_pages(begin - GUARD_BYTES, begin + span)) return nullptr;
  h.next = std::max(h.next, begin + span + GUARD_BYTES);
  auto* allocation = new Allocation{begin, begin + bytes, begin + span + GUARD_BYTES, space, true, space != EMU_DEVICE};
  h.by_begin[begin] = allocation;
  h.used_bytes += size;
  clear_initialised(begin, size);
  if (options().device_fill) memset(reinterpret_cast<void*>(begin), *options().device_fill, bytes);
  return reinterpret_cast<void*>(begin);
}

extern "C" bool emu_free(void* pointer) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  auto it = h.by_begin.find(reinterpret_cast<uint64_t>(pointer));
  if (it == h.by_begin.end() || !it->second->is_live) return false;
  Allocation& allocation = *it->second;
  allocation.is_live = false;
  h.used_bytes -= allocation.size() ? allocation.size() : 1;
  uint64_t bytes = round_to_page(std::max<uint64_t>(allocation.size(), 1));
  madvise(pointer, bytes, MADV_DONTNEED);
  mprotect(pointer, bytes, PROT_NONE);
  return true;
}

extern "C" bool emu_find_allocation(const void* address, void** start, size_t* bytes, int* space) {
  Allocation* found = find_live(reinterpret_cast<uint64_t>(address));
  if (!found) return false;
  if (start) *start = reinterpret_cast<void*>(found->begin);
  if (bytes) *bytes = found->size();
  if (space) *space = found->space;
  return true;
}

extern "C" size_t emu_memory_total() { return options().memory_bytes; }

extern "C" size_t emu_memory_used() {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  return h.used_bytes;
}

extern "C" void emu_register_host(void* pointer, size_t bytes) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  h.registered_host.emplace_back(reinterpret_cast<uint64_t>(pointer), bytes);
}

extern "C" void emu_unregister_host(void* pointer) {
  Heap& h = heap();
  std::lock_guard<std::mutex> hold(h.mutex);
  auto matches = [&](const auto& range) { return range.first == reinterpret_cast<uint64_t>(pointer); };
  h.registered_host.erase(std::remove_if(h.registered_host.begin(), h.registered_host.end(), matches), h.registered_host.end());
}
