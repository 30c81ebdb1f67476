#include "requests.h"

#include <algorithm>

#include "memory.h"
#include "snapshots.h"

namespace emu {
namespace {

enum class Space { global, shared, local, constant, program, foreign };

bool within(const Request& r, uint64_t begin, uint64_t size) { return in_range(r.lowest, begin, size) && in_range(r.highest, begin, size); }

Space space_of(Worker& w, const Request& r) {
  (void)w;
  const ThreadState& t = emu_thread;
  if (within(r, t.arena_begin, t.arena_size)) return Space::global;
  if (within(r, t.shared_begin, t.shared_size)) return Space::shared;
  if (within(r, t.stacks_begin, t.stacks_size)) return Space::local;
  static const ProgramImage image = program_image();
  if (within(r, image.data_begin, image.end - image.data_begin)) return Space::program;
  if (within(r, image.begin, image.data_begin - image.begin)) return Space::constant;  // literals and constant tables
  return Space::foreign;
}

void count_local(Worker& w, Site& site, const Request& r) {
  uint64_t offset[WARP_LANES];
  const Lane* lanes = &w.block->lanes[w.warp_index * WARP_LANES];
  for (unsigned i = 0; i < r.lane_count; ++i) offset[i] = w.stacks.size() + r.address[i] - lanes[r.lane[i]].local_top;
  Sectors s = count_local_sectors(r, offset);
  ++site.local.requests;
  site.local.lanes += r.lane_count;
  site.local.units += s.count;
  site.local.ideal_units += s.ideal;
}

void count_constant(Site& site, const Request& r) {
  ++site.constant.requests;
  site.constant.lanes += r.lane_count;
}

// Atomic and volatile accesses are signals; those of shared memory are known by block and address.
void note_signals(Worker& w, const Event& event, const Request& r, bool is_shared) {
  unsigned kind = event.kind & EVENT_KIND_MASK;
  if (!w.order || (kind != EVENT_ATOMIC && !(event.kind & EVENT_VOLATILE))) return;
  Scope scope = event.kind & EVENT_BLOCK_SCOPE ? Scope::block : Scope::device;
  bool reads = kind != EVENT_STORE && !(event.kind & EVENT_UNREAD);
  uint64_t salt = is_shared ? (w.block->linear + 1) * 0x9E3779B97F4A7C15ull << 20 : 0;
  for (unsigned i = 0; i < r.lane_count; ++i)
    w.order->add_signal(here(w, r.lane[i]), (r.address[i] & ~uint64_t{3}) ^ salt, reads, kind != EVENT_LOAD, scope);
}

// The first lane that is in no symbol while another of the warp is in one, or behind all of the program's variables.
void check_symbols(Worker& w, const Site& site, const Event& event, const Request& r) {
  const EmuSymbol* lowest = find_symbol(r.lowest);
  for (unsigned i = 0; i < r.lane_count; ++i) {
    const EmuSymbol* own = find_symbol(r.address[i]);
    if (own && r.address[i] + r.size_bytes <= reinterpret_cast<uint64_t>(own->address) + own->bytes) continue;
    if (!own && is_behind_variables(r.address[i])) own = site.symbol ? site.symbol : symbol_before(r.address[i]);
    if (!own) own = lowest;
    if (!own) continue;
    uint64_t begin = reinterpret_cast<uint64_t>(own->address);
    bool is_before = r.address[i] < begin;
    return report(w, "out_of_bounds", event.pc, 0, r.address[i], thread_index(w, r.lane[i]), "%u bytes %s%llu%s the %zu-byte variable %s",
                  r.size_bytes, is_before ? "" : "at offset ",
                  static_cast<unsigned long long>(is_before ? begin - r.address[i] : r.address[i] - begin), is_before ? " bytes before" : " of",
                  own->bytes, own->name);
  }
}

// Static data: a device symbol, or something of the host program, which g++ lets a kernel read like one.
void count_program_data(Worker& w, Site& site, const Event& event, const Request& r) {
  if (r.lowest < site.known_begin || r.highest + r.size_bytes > site.known_end) {
    const EmuSymbol* symbol = find_symbol(r.lowest);
    site.allocation = nullptr;
    site.is_constant = symbol && symbol->space == 1;
    site.known_begin = symbol ? reinterpret_cast<uint64_t>(symbol->address) : r.lowest;
    site.known_end = symbol ? site.known_begin + symbol->bytes : r.highest + r.size_bytes;
    if (symbol) site.symbol = symbol;
    check_symbols(w, site, event, r);
  }
  if (site.is_constant) return count_constant(site, r);
  count_global(w, site, r);
  if (!site.doubtful_requests) site.doubtful_requests += have_sectors_of_place(r);
  if (w.launch->checks_global_races) check_global_races(w, site, event, r);
  note_signals(w, event, r, false);
}

void report_foreign(Worker& w, const Event& event, const Request& r) {
  if (is_registered_host(r.address[0]) || !is_mapped(r.address[0])) return;  // unmapped: the access itself faults
  report(w, "host_pointer", event.pc, 0, r.address[0], thread_index(w, r.lane[0]),
         "the address %#llx is host memory; a kernel can use it only on systems that map all host memory into the GPU",
         static_cast<unsigned long long>(r.address[0]));
}

}  // namespace

AccessPoint here(const Worker& w, unsigned lane) {
  return {static_cast<uint32_t>(w.block->linear), w.block->epoch, w.block->warps[w.warp_index].sync_epoch, 0,
          static_cast<uint16_t>(thread_index(w, lane))};
}

void note_fences(Worker& w, const uint64_t* scope, const uint8_t* lane, unsigned lane_count) {
  for (unsigned i = 0; w.order && i < lane_count; ++i) w.order->add_fence(here(w, lane[i]), scope[i] ? Scope::device : Scope::block);
}

void check_uncounted(Worker& w, const Event& event, const uint64_t* address, const uint8_t* lane, unsigned lane_count) {
  if (!w.launch->is_checked) return;
  Request r = make_request(address, lane, lane_count, event.size_bytes);
  Space space = space_of(w, r);
  if ((event.kind & EVENT_KIND_MASK) == EVENT_COPY_ENDS) {
    if (space == Space::shared) check_copy_end(w, event, r);
  } else if (w.launch->checks_global_races && (space == Space::global || space == Space::program)) {
    check_read_only(w, event, r);
  }
}

void count_global(Worker& w, Site& site, const Request& r) {
  Sectors s = count_sectors(r);
  ++site.global.requests;
  site.global.lanes += r.lane_count;
  site.global.units += s.count;
  site.global.ideal_units += s.ideal;
  site.global.tags += s.tags;
  if ((site.kind & EVENT_KIND_MASK) == EVENT_LOAD) site.global.passes += count_wavefronts(r, false).count;
  uint64_t new_in_block = 0, new_in_grid = 0;
  for (unsigned i = 0; i < s.count; ++i)
    if (w.sectors.enter(s.sector[i], w.block->serial)) {
      ++new_in_block;
      new_in_grid += enter_grid_sector(s.sector[i], w.launch->serial);
    }
  if ((site.kind & EVENT_KIND_MASK) == EVENT_ATOMIC) w.atomic_sectors.enter(s.sector, s.count);
  w.block_unique_sectors += new_in_block;
  if (new_in_grid) w.launch->grid_unique_sectors.fetch_add(new_in_grid, std::memory_order_relaxed);
}

void count_shared(Site& site, const Event& event, const Request& r) {
  unsigned kind = event.kind & EVENT_KIND_MASK;
  Wavefronts wavefronts = count_wavefronts(r, kind == EVENT_STORE);
  ++site.shared.requests;
  site.shared.lanes += r.lane_count;
  site.shared.units += wavefronts.count;
  site.shared.ideal_units += wavefronts.ideal;
  site.doubtful_requests += wavefronts.is_doubtful;
  bool is_static = !in_range(r.lowest, reinterpret_cast<uint64_t>(__emu_dynamic_shared), sizeof __emu_dynamic_shared);
  if (is_static && !site.doubtful_requests) site.doubtful_requests += have_wavefronts_of_place(r);
  if (kind == EVENT_ATOMIC) site.serial_wavefronts += count_serial_wavefronts(r);
}

void analyse_request(Worker& w, const Event& event, const uint64_t* address, const uint8_t* lane, unsigned lane_count) {
  uint64_t original[WARP_LANES];
  bool is_snapshot = w.launch->has_snapshots.load(std::memory_order_relaxed) && find_originals(address, lane_count, original);
  if (is_snapshot) address = original;
  Request r = make_request(address, lane, lane_count, event.size_bytes);
  Site& site = w.counters.at(event);
  site.kind |= event.kind & (EVENT_VOLATILE | EVENT_COMPARE_AND_SWAP);
  bool is_checked = w.launch->is_checked;
  Space space = space_of(w, r);
  if (is_snapshot && w.launch->checks_global_races) check_read_only(w, event, r);
  if (space != Space::local && is_misaligned(r)) fail_misaligned(w, event, r);
  switch (space) {
    case Space::global:
      if (site.correction < 0) count_global(w, site, r);
      check_bounds(w, site, event, r);
      if (is_checked) {
        check_global_initialised(w, site, event, r);
        if (w.launch->checks_global_races) check_global_races(w, site, event, r);
        note_signals(w, event, r, false);
      }
      if (site.correction >= 0) count_corrected(w, site.correction, event, r, false);
      return;
    case Space::shared:
      if (site.correction < 0) count_shared(site, event, r);
      else count_corrected(w, site.correction, event, r, true);
      check_shared(w, site, event, r);
      note_signals(w, event, r, true);
      return;
    case Space::local: return count_local(w, site, r);
    case Space::constant: return count_constant(site, r);
    case Space::program: return count_program_data(w, site, event, r);
    case Space::foreign: break;
  }
  if (lane_count == 1) return report_foreign(w, event, r);
  for (unsigned i = 0; i < lane_count; ++i) analyse_request(w, event, address + i, lane + i, 1);  // lanes in different spaces
}

}  // namespace emu
