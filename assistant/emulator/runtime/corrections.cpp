#include "corrections.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "options.h"
#include "requests.h"

namespace emu {
namespace {

std::vector<Correction> parse(const std::string& text) {
  std::vector<Correction> found;
  const char* at = text.c_str();
  while (*at) {
    char* end = nullptr;
    Correction c;
    c.fused_bytes = static_cast<unsigned>(strtoul(at, &end, 10));
    while (*end == '/' || *end == '.') c.pieces.push_back(static_cast<unsigned>(strtoul(end + 1, &end, 10)));
    if (std::count(c.pieces.begin(), c.pieces.end(), 0u)) return found;
    while (*end == ':' || *end == ',') c.sites.push_back(static_cast<uint32_t>(strtoul(end + 1, &end, 10)));
    if (c.sites.empty()) return found;
    found.push_back(c);
    at = *end == ';' ? end + 1 : end;
  }
  return found;
}

std::map<uint32_t, int> by_site(const std::vector<Correction>& all) {
  std::map<uint32_t, int> index;
  for (size_t i = 0; i < all.size(); ++i)
    for (uint32_t pc : all[i].sites) index.emplace(pc, static_cast<int>(i));
  return index;
}

void count(Worker& w, const PendingAccess& p, Event event, unsigned offset) {
  uint64_t address[WARP_LANES];
  for (unsigned i = 0; i < p.lane_count; ++i) address[i] = p.address[i] + offset;
  Request r = make_request(address, p.lane, p.lane_count, event.size_bytes);
  Site& site = w.counters.at(event);
  if (p.is_shared) count_shared(site, event, r);
  else count_global(w, site, r);
}

void count_whole(Worker& w, const PendingAccess& p, unsigned fused_bytes) {
  Event event = p.event;
  event.size_bytes = static_cast<uint16_t>(fused_bytes);
  event.kind |= EVENT_FUSED;
  event.pc += 1;  // a site of its own: no other call returns to the middle of an instruction
  count(w, p, event, 0);
}

// Whole: one access of the full width. Otherwise as the source has it.
void count_and_forget(Worker& w, PendingAccess& p, unsigned fused_bytes) {
  if (!p.lane_count) return;
  Event event = p.event;
  if (!p.parts.empty()) {
    for (const auto& [part, offset] : p.parts) count(w, p, part, offset);
    p.parts.clear();
  } else if (p.joined_bytes == fused_bytes) {
    count_whole(w, p, fused_bytes);
  } else {
    for (unsigned offset = 0; offset < p.joined_bytes; offset += event.size_bytes) count(w, p, event, offset);
  }
  p.lane_count = 0;
}

void start(PendingAccess& p, const Event& event, const Request& r, bool is_shared) {
  p.event = event;
  p.is_shared = is_shared;
  p.joined_bytes = r.size_bytes;
  p.lane_count = r.lane_count;
  std::copy_n(r.address, r.lane_count, p.address);
  std::copy_n(r.lane, r.lane_count, p.lane);
}

bool has_lanes(const PendingAccess& p, const Request& r) {
  return p.lane_count == r.lane_count && std::equal(r.lane, r.lane + r.lane_count, p.lane);
}

bool continues(const PendingAccess& p, const Request& r) {
  if (!has_lanes(p, r)) return false;
  for (unsigned i = 0; i < r.lane_count; ++i)
    if (r.address[i] != p.address[i] + p.joined_bytes) return false;
  return true;
}

bool is_aligned(const Request& r, unsigned bytes) {
  return std::all_of(r.address, r.address + r.lane_count, [&](uint64_t address) { return address % bytes == 0; });
}

void fuse(Worker& w, PendingAccess& p, unsigned fused_bytes, const Event& event, const Request& r, bool is_shared) {
  if (p.lane_count && p.event.size_bytes == r.size_bytes && continues(p, r)) {
    p.joined_bytes += r.size_bytes;
    if (p.joined_bytes == fused_bytes) count_and_forget(w, p, fused_bytes);
    return;
  }
  count_and_forget(w, p, fused_bytes);
  start(p, event, r, is_shared);
  if (!is_aligned(r, fused_bytes)) count_and_forget(w, p, fused_bytes);
}

// Where every lane's address lies in its aligned block of `bytes`; `bytes` where the lanes differ.
unsigned common_offset(const Request& r, unsigned bytes) {
  uint64_t offset = r.address[0] % bytes;
  bool is_common = std::all_of(r.address, r.address + r.lane_count, [&](uint64_t address) { return address % bytes == offset; });
  return is_common ? static_cast<unsigned>(offset) : bytes;
}

bool is_in_block(const PendingAccess& p, const Request& r, unsigned offset) {
  for (unsigned i = 0; i < r.lane_count; ++i)
    if (r.address[i] != p.address[i] + offset) return false;
  return true;
}

// Sites that fill part of an aligned access of the GPU: one access, once each of them came in turn, from the same lanes.
void fill(Worker& w, PendingAccess& p, const Correction& c, const Event& event, const Request& r, bool is_shared) {
  size_t position = static_cast<size_t>(std::find(c.sites.begin(), c.sites.end(), event.pc) - c.sites.begin());
  unsigned offset = common_offset(r, c.fused_bytes);
  bool continues = p.lane_count && position == p.position + 1 && has_lanes(p, r) && is_in_block(p, r, offset);
  if (!continues) {
    count_and_forget(w, p, c.fused_bytes);
    start(p, event, r, is_shared);
    if (position != 0 || offset == c.fused_bytes) return count_and_forget(w, p, c.fused_bytes);
    for (unsigned i = 0; i < p.lane_count; ++i) p.address[i] -= offset;
  }
  p.parts.emplace_back(event, offset);
  p.position = position;
  if (position + 1 < c.sites.size()) return;
  count_whole(w, p, c.fused_bytes);
  p.parts.clear();
  p.lane_count = 0;
}

// The GPU's code takes an access in several narrower ones.
void split(Worker& w, PendingAccess& p, unsigned part_bytes, const Event& event, const Request& r, bool is_shared) {
  start(p, event, r, is_shared);
  Event part = event;
  part.size_bytes = static_cast<uint16_t>(part_bytes);
  part.kind |= EVENT_FUSED;
  part.pc += 1;
  for (unsigned offset = 0; offset < r.size_bytes; offset += part_bytes) count(w, p, part, offset);
  p.lane_count = 0;
}

// How many iterations a piece takes of those that a lane has left: a remainder that comes first leaves whole passes to the pieces
// after it, any other takes all the passes it can.
size_t iterations_of(const std::vector<unsigned>& pieces, size_t index, size_t left) {
  auto later = pieces.begin() + static_cast<ptrdiff_t>(index) + 1;
  bool is_first_remainder = later != pieces.end() && *std::max_element(later, pieces.end()) > pieces[index];
  return is_first_remainder ? left % *std::min_element(later, pieces.end()) : left - left % pieces[index];
}

// One pass of a piece: its copies, each by the lanes that still have an iteration in it.
void count_pass(Worker& w, const PendingAccess& p, unsigned copies, size_t pass, const size_t* start, const size_t* end) {
  for (unsigned copy = 0; copy < copies; ++copy) {
    PendingAccess one;
    one.event = p.event;
    one.is_shared = p.is_shared;
    for (unsigned i = 0; i < WARP_LANES; ++i) {
      size_t iteration = start[i] + pass * copies + copy;
      if (iteration >= end[i]) continue;
      one.address[one.lane_count] = p.iterations[i][iteration];
      one.lane[one.lane_count++] = static_cast<uint8_t>(i);
    }
    if (one.lane_count) count(w, one, one.event, 0);
  }
}

// Iterations that no piece took, one by one.
void count_rest(Worker& w, const PendingAccess& p, size_t* start) {
  size_t end[WARP_LANES], most = 0;
  for (unsigned i = 0; i < WARP_LANES; ++i) {
    end[i] = p.iterations[i].size();
    most = std::max(most, end[i] - start[i]);
  }
  for (size_t pass = 0; pass < most; ++pass) count_pass(w, p, 1, pass, start, end);
}

void count_pieces(Worker& w, PendingAccess& p, const std::vector<unsigned>& pieces) {
  size_t start[WARP_LANES] = {}, end[WARP_LANES] = {};
  for (size_t index = 0; index < pieces.size(); ++index) {
    size_t pass_count = 0;
    for (unsigned i = 0; i < WARP_LANES; ++i) {
      start[i] = end[i];
      end[i] += iterations_of(pieces, index, p.iterations[i].size() - start[i]);
      pass_count = std::max(pass_count, (end[i] - start[i]) / pieces[index]);
    }
    for (size_t pass = 0; pass < pass_count; ++pass) count_pass(w, p, pieces[index], pass, start, end);
  }
  count_rest(w, p, end);
  for (auto& lane : p.iterations) lane.clear();
}

constexpr size_t MOST_ITERATIONS = 1 << 16;  // that are kept per lane; a longer loop is counted in parts

void gather(Worker& w, PendingAccess& p, const Correction& c, const Event& event, const Request& r, bool is_shared) {
  p.event = event;
  p.is_shared = is_shared;
  bool is_full = false;
  for (unsigned i = 0; i < r.lane_count; ++i) {
    p.iterations[r.lane[i]].push_back(r.address[i]);
    is_full |= p.iterations[r.lane[i]].size() == MOST_ITERATIONS;
  }
  if (is_full) count_pieces(w, p, c.pieces);
}

bool shares_a_lane(const PendingAccess& p, const Request& r) {
  return std::find_first_of(p.lane, p.lane + p.lane_count, r.lane, r.lane + r.lane_count) != p.lane + p.lane_count;
}

void add_lanes(PendingAccess& p, const Request& r) {
  for (unsigned i = 0; i < r.lane_count; ++i) {
    unsigned at = static_cast<unsigned>(std::upper_bound(p.lane, p.lane + p.lane_count, r.lane[i]) - p.lane);
    std::copy_backward(p.lane + at, p.lane + p.lane_count, p.lane + p.lane_count + 1);
    std::copy_backward(p.address + at, p.address + p.lane_count, p.address + p.lane_count + 1);
    p.lane[at] = r.lane[i];
    p.address[at] = r.address[i];
    ++p.lane_count;
  }
}

void merge(Worker& w, PendingAccess& p, const std::vector<uint32_t>& sites, const Event& event, const Request& r, bool is_shared) {
  size_t position = static_cast<size_t>(std::find(sites.begin(), sites.end(), event.pc) - sites.begin());
  if (p.lane_count && (position <= p.position || shares_a_lane(p, r))) count_and_forget(w, p, 0);
  if (p.lane_count) {
    add_lanes(p, r);
    p.event.pc = sites.back();
  } else {
    start(p, event, r, is_shared);
  }
  p.position = position;
  if (position + 1 == sites.size()) count_and_forget(w, p, 0);
}

}  // namespace

const std::vector<Correction>& corrections() {
  static const std::vector<Correction>& instance = *new std::vector<Correction>(parse(options().corrections));
  return instance;
}

int correction_of(uint32_t pc) {
  static const std::map<uint32_t, int>& index = *new std::map<uint32_t, int>(by_site(corrections()));
  auto found = index.find(pc);
  return found == index.end() ? -1 : found->second;
}

void count_corrected(Worker& w, int correction, const Event& event, const Request& r, bool is_shared) {
  const Correction& c = corrections()[static_cast<size_t>(correction)];
  w.pending.resize(corrections().size());
  PendingAccess& p = w.pending[static_cast<size_t>(correction)];
  if (!c.pieces.empty()) gather(w, p, c, event, r, is_shared);
  else if (c.fused_bytes && c.fused_bytes < r.size_bytes) split(w, p, c.fused_bytes, event, r, is_shared);
  else if (c.is_partial(r.size_bytes)) fill(w, p, c, event, r, is_shared);
  else if (c.fused_bytes) fuse(w, p, c.fused_bytes, event, r, is_shared);
  else merge(w, p, c.sites, event, r, is_shared);
}

void count_pending(Worker& w) {
  for (size_t i = 0; i < w.pending.size(); ++i) {
    const Correction& c = corrections()[i];
    if (c.pieces.empty()) count_and_forget(w, w.pending[i], c.fused_bytes);
    else count_pieces(w, w.pending[i], c.pieces);
  }
}

}  // namespace emu
