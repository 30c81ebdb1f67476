#include "snapshots.h"

#include <cstring>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <vector>

#include "memory.h"
#include "worker.h"

extern "C" {
int emu_has_aliases = 0;  // read by kernels at their entry (emu/read_only.h)
}

namespace emu {
namespace {

struct Snapshot {
  const Allocation* of;
  char* begin;                               // of the mapping; the copy follows behind a guard
  uint64_t copy() const { return reinterpret_cast<uint64_t>(begin) + GUARD_BYTES; }
  uint64_t mapped_bytes() const { return of->size() + 2 * GUARD_BYTES; }
};

struct Snapshots {
  std::mutex mutex;
  std::set<const Allocation*> aliased;
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

// The copy of the allocation, taken now if it is asked for first. Every thread asks before it runs any of the kernel's code, so nothing has
// been written yet. nullptr if there is no memory for it.
const Snapshot* take(const Allocation& allocation) {
  Snapshots& s = snapshots();
  for (const Snapshot& known : s.taken)
    if (known.of == &allocation) return &known;
  Snapshot made{&allocation, nullptr};
  void* place = mmap(nullptr, made.mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  made.begin = static_cast<char*>(place);
  memcpy(reinterpret_cast<void*>(made.copy()), reinterpret_cast<const void*>(allocation.begin), allocation.size());
  s.taken.push_back(made);
  return &s.taken.back();
}

// Calls f(allocation) for each pointer in the argument's bytes.
template <class F>
void for_each_target(const void* argument, size_t bytes, F f) {
  ArenaRange range = arena();
  for (size_t offset = 0; offset + sizeof(uint64_t) <= bytes; offset += sizeof(uint64_t)) {
    uint64_t value;
    memcpy(&value, static_cast<const char*>(argument) + offset, sizeof value);
    const Allocation* target = in_range(value, range.begin, range.size) ? find_live(value) : nullptr;
    if (target) f(target);
  }
}

}  // namespace

void look_for_aliases(const EmuLaunch& request, bool is_checked) {
  Snapshots& s = snapshots();
  s.aliased.clear();
  std::set<const Allocation*> seen;
  for (unsigned i = 0; is_checked && i < request.argument_count; ++i)
    for_each_target(request.arguments[i], request.argument_bytes[i], [&](const Allocation* target) {
      if (!seen.insert(target).second) s.aliased.insert(target);
    });
  emu_has_aliases = !s.aliased.empty();
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
    original[i] = snapshot ? address[i] - snapshot->copy() + snapshot->of->begin : address[i];
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
    Snapshots& s = snapshots();
    std::lock_guard<std::mutex> hold(s.mutex);
    const Allocation* allocation = find_live(address);
    if (allocation && s.aliased.count(allocation))
      if (const Snapshot* snapshot = take(*allocation)) {
        w.launch->has_snapshots.store(true);
        seen = reinterpret_cast<const void*>(address - allocation->begin + snapshot->copy());
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
