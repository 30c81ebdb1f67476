#include "snapshots.h"

#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

#include "memory.h"
#include "worker.h"

extern "C" {
int emu_has_aliases = 0;  // read by kernels at their entry (include/checked/emu_promises.h)
}

namespace emu {
namespace {

struct Region { uint64_t begin, bytes; };

struct Snapshot {
  Region of;
  char* begin;                               // of the mapping; the copy follows behind a guard
  uint64_t copy() const { return reinterpret_cast<uint64_t>(begin) + GUARD_BYTES; }
  uint64_t mapped_bytes() const { return of.bytes + 2 * GUARD_BYTES; }
};

struct Snapshots {
  std::mutex mutex;
  std::map<uint64_t, unsigned> pointers;     // by allocation: how many of the arguments' pointers lead there
  std::vector<Snapshot> taken;
};
Snapshots& snapshots() {
  static Snapshots& instance = *new Snapshots;
  return instance;
}

const Snapshot* find(uint64_t address) {
  for (const Snapshot& s : snapshots().taken)
    if (in_range(address, reinterpret_cast<uint64_t>(s.begin), s.mapped_bytes())) return &s;
  return nullptr;
}

// The copy of the region, taken now if it is asked for first. Every thread asks before it runs any of the kernel's code, so nothing has
// been written yet. nullptr if there is no memory for it.
const Snapshot* take(Region region) {
  Snapshots& s = snapshots();
  for (const Snapshot& known : s.taken)
    if (known.of.begin == region.begin) return &known;
  Snapshot made{region, nullptr};
  void* place = mmap(nullptr, made.mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  made.begin = static_cast<char*>(place);
  memcpy(reinterpret_cast<void*>(made.copy()), reinterpret_cast<const void*>(region.begin), region.bytes);
  s.taken.push_back(made);
  return &s.taken.back();
}

// What the pointer leads into, if kernels may write it another way: through a further argument, or as a variable of the device.
bool find_writable(uint64_t address, Region& region) {
  if (const EmuSymbol* symbol = find_symbol(address)) {
    region = {reinterpret_cast<uint64_t>(symbol->address), symbol->bytes};
    return symbol->space != 1;
  }
  const Allocation* allocation = find_live(address);
  if (!allocation) return false;
  region = {allocation->begin, allocation->size()};
  auto count = snapshots().pointers.find(allocation->begin);
  return count != snapshots().pointers.end() && count->second > 1;
}

}  // namespace

void look_for_aliases(const EmuLaunch& request, bool is_checked) {
  Snapshots& s = snapshots();
  s.pointers.clear();
  emu_has_aliases = 0;
  for (unsigned i = 0; is_checked && i < request.argument_count; ++i)
    for (size_t offset = 0; offset + sizeof(uint64_t) <= request.argument_bytes[i]; offset += sizeof(uint64_t)) {
      uint64_t value;
      memcpy(&value, static_cast<const char*>(request.arguments[i]) + offset, sizeof value);
      ArenaRange range = arena();
      const Allocation* target = in_range(value, range.begin, range.size) ? find_live(value) : nullptr;
      if (find_symbol(value) || (target && ++s.pointers[target->begin] > 1)) emu_has_aliases = 1;
    }
}

void drop_snapshots(Launch& launch) {
  Snapshots& s = snapshots();
  std::lock_guard<std::mutex> hold(s.mutex);
  for (const Snapshot& taken : s.taken) munmap(taken.begin, taken.mapped_bytes());
  s.taken.clear();
  launch.has_snapshots.store(false);
  emu_has_aliases = 0;
}

bool find_originals(const uint64_t* address, unsigned count, uint64_t* original) {
  Snapshots& s = snapshots();
  std::lock_guard<std::mutex> hold(s.mutex);
  bool is_any = false;
  for (unsigned i = 0; i < count; ++i) {
    const Snapshot* snapshot = find(address[i]);
    original[i] = snapshot ? address[i] - snapshot->copy() + snapshot->of.begin : address[i];
    is_any = is_any || snapshot;
  }
  return is_any;
}

bool is_snapshot(uint64_t address) {
  std::lock_guard<std::mutex> hold(snapshots().mutex);
  return find(address) != nullptr;
}

}  // namespace emu

using namespace emu;

extern "C" const void* emu_read_only(const void* pointer) {
  if (!on_device()) return pointer;
  Worker& w = *worker();
  ++w.in_core;
  const void* seen = pointer;
  auto address = reinterpret_cast<uint64_t>(pointer);
  {
    std::lock_guard<std::mutex> hold(snapshots().mutex);
    Region region;
    const Snapshot* snapshot = find_writable(address, region) ? take(region) : nullptr;
    if (snapshot) {
      w.launch->has_snapshots.store(true);
      seen = reinterpret_cast<const void*>(address - region.begin + snapshot->copy());
    }
  }
  --w.in_core;
  return seen;
}

extern "C" void emu_note_read_only(const void* address, size_t bytes) {
  if (!on_device() || !worker()->launch->is_checked) return;
  record_event(const_cast<void*>(address), EVENT_READ_ONLY, static_cast<unsigned>(bytes),
               static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0))));
}
