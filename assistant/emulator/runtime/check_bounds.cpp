// Is every byte of an access inside a live allocation, aligned, and written before it is read?
#include <algorithm>
#include <string>
#include <vector>

#include "faults.h"
#include "memory.h"
#include "partial.h"
#include "requests.h"

namespace emu {
namespace {

using ull = unsigned long long;

const char* verb(const Event& event) {
  switch (event.kind & EVENT_KIND_MASK) {
    case EVENT_LOAD: return "read";
    case EVENT_STORE: return "write";
    default: return "atomic";
  }
}

// `an allocation of 400 bytes`; among several live ones of that size which of them, in order of address.
std::string name_of(const Allocation& allocation) {
  std::vector<Allocation*> alike = live_allocations();
  alike.erase(std::remove_if(alike.begin(), alike.end(), [&](const Allocation* a) { return a->size() != allocation.size(); }), alike.end());
  auto at = std::find(alike.begin(), alike.end(), &allocation);
  std::string name = "an allocation of " + std::to_string(allocation.size()) + " bytes";
  if (at == alike.end() || alike.size() < 2) return name;
  return name + ", number " + std::to_string(at - alike.begin() + 1) + " of " + std::to_string(alike.size()) + " such";
}

// The side of an allocation that was passed is the cause: an overrun of one array and an underrun of another may meet at one place.
void report_beside(Worker& w, const Event& event, uint64_t address, unsigned thread, const Allocation& allocation, bool is_before) {
  uint64_t cause = is_before ? allocation.begin : allocation.end;
  if (!w.problems.note("out_of_bounds", event.pc, 0, cause, {w.block->linear, thread})) return;
  std::string name = name_of(allocation);
  if (is_before)
    report_cause(w, "out_of_bounds", cause, event.pc, address, thread, "%s of %u bytes, %llu bytes before %s", verb(event), event.size_bytes,
                 static_cast<ull>(allocation.begin - address), name.c_str());
  else
    report_cause(w, "out_of_bounds", cause, event.pc, address, thread, "%s of %u bytes at offset %llu of %s", verb(event), event.size_bytes,
                 static_cast<ull>(address - allocation.begin), name.c_str());
}

void report_outside(Worker& w, const Event& event, uint64_t address, unsigned thread) {
  const Allocation* near = nearest(address);
  const Allocation* next = nearest(address + GUARD_BYTES);
  if (near && !near->is_live && address < near->end)
    return report_cause(w, "use_after_free", near->begin, event.pc, address, thread, "%s of %u bytes in an allocation of %llu bytes that was freed",
                        verb(event), event.size_bytes, static_cast<ull>(near->size()));
  if (next && next != near) return report_beside(w, event, address, thread, *next, true);
  if (near) return report_beside(w, event, address, thread, *near, false);
  report(w, "out_of_bounds", event.pc, 0, address, thread, "%s of %u bytes, before every allocation", verb(event), event.size_bytes);
}

}  // namespace

void check_bounds(Worker& w, Site& site, const Event& event, const Request& r) {
  if (r.lowest >= site.known_begin && r.highest + r.size_bytes <= site.known_end && site.allocation && site.allocation->is_live) return;
  for (unsigned i = 0; i < r.lane_count; ++i) {
    uint64_t a = r.address[i];
    if (a >= site.known_begin && a + r.size_bytes <= site.known_end && site.allocation && site.allocation->is_live) continue;
    const Allocation* found = find_live(a);
    if (found && a + r.size_bytes <= found->end) {
      site.known_begin = found->begin;
      site.known_end = found->end;
      site.allocation = found;
    } else {
      report_outside(w, event, a, thread_index(w, r.lane[i]));
    }
  }
}

bool is_misaligned(const Request& r) {
  uint64_t bits = r.address[0];
  if (!r.is_dense) for (unsigned i = 1; i < r.lane_count; ++i) bits |= r.address[i];
  return bits & (r.size_bytes - 1u);
}

void fail_misaligned(Worker& w, const Event& event, const Request& r) {
  unsigned i = 0;
  while (i + 1 < r.lane_count && !(r.address[i] & (r.size_bytes - 1u))) ++i;
  report_end(w, "misaligned", event.pc, r.address[i], thread_index(w, r.lane[i]), "%s of %u bytes at an address that is not a multiple of %u",
         verb(event), event.size_bytes, event.size_bytes);
  w.launch->end_at(w.block->linear, CUDA_ERROR_MISALIGNED_ADDRESS);
}

void check_global_initialised(Worker& w, const Site& site, const Event& event, const Request& r) {
  const Allocation* allocation = site.allocation;
  if (!allocation || allocation->is_initialised) return;
  bool is_store = (event.kind & EVENT_KIND_MASK) == EVENT_STORE;
  if (is_store && r.is_dense && r.highest + r.size_bytes <= allocation->end) {
    set_initialised(r.lowest, r.highest + r.size_bytes - r.lowest);
    return;
  }
  for (unsigned i = 0; i < r.lane_count; ++i) {
    uint64_t a = r.address[i];
    if (a < allocation->begin || a + r.size_bytes > allocation->end) continue;
    if (!is_store && !has_left_out() && !is_initialised(a, r.size_bytes) && w.problems.note("uninitialised_read", event.pc, 0, allocation->begin, {w.block->linear, thread_index(w, r.lane[i])}))
      report_cause(w, "uninitialised_read", allocation->begin, event.pc, a, thread_index(w, r.lane[i]),
                   "%s of %u bytes of device memory that nothing has written (offset %llu of %s)", verb(event), r.size_bytes,
                   static_cast<ull>(a - allocation->begin), name_of(*allocation).c_str());
    if ((event.kind & EVENT_KIND_MASK) != EVENT_LOAD) set_initialised(a, r.size_bytes);
  }
}

}  // namespace emu
