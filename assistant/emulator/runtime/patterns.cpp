#include "patterns.h"

#include <algorithm>

namespace emu {
namespace {

unsigned ideal_sectors(unsigned actual, unsigned lane_count, unsigned size_bytes) {
  return std::min(actual, (lane_count * size_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
}

void add_distinct(Sectors& s, uint64_t sector) {
  for (unsigned i = s.count; i-- > 0;)
    if (s.sector[i] == sector) return;
  s.sector[s.count++] = sector;
}

unsigned distinct_lines(const Sectors& s) {
  uint64_t seen[WARP_LANES];
  unsigned count = 0;
  for (unsigned i = 0; i < s.count; ++i) {
    uint64_t line = s.sector[i] / (LINE_BYTES / SECTOR_BYTES);
    bool is_new = true;
    for (unsigned k = count; k-- > 0 && is_new;) is_new = seen[k] != line;
    if (is_new) seen[count++] = line;
  }
  return count;
}

// Passes of one group of lanes: the largest number of distinct words in one bank.
unsigned passes(const uint64_t* address, unsigned count, unsigned size_bytes) {
  uint64_t first[BANKS];
  uint32_t seen = 0;
  bool has_conflict = false;
  for (unsigned i = 0; i < count && !has_conflict; ++i)
    for (unsigned b = 0; b < size_bytes; b += BANK_BYTES) {
      uint64_t word = (address[i] + b) / BANK_BYTES;
      uint32_t bank = word % BANKS;
      if (!(seen >> bank & 1)) {
        seen |= 1u << bank;
        first[bank] = word;
      } else if (first[bank] != word) {
        has_conflict = true;
        break;
      }
    }
  if (!has_conflict) return 1;
  uint64_t words[BANKS][WARP_LANES * 2];
  uint8_t used[BANKS] = {};
  unsigned most = 1;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned b = 0; b < size_bytes; b += BANK_BYTES) {
      uint64_t word = (address[i] + b) / BANK_BYTES;
      uint32_t bank = word % BANKS;
      uint8_t& n = used[bank];
      bool is_new = true;
      for (unsigned k = n; k-- > 0 && is_new;) is_new = words[bank][k] != word;
      if (is_new) words[bank][n++] = word;
      most = std::max<unsigned>(most, n);
    }
  return most;
}

// Whether every active lane of the pair of groups has the same address as its active neighbour lane ^ distance.
bool neighbours_agree(const uint64_t* by_lane, uint32_t active, uint32_t pair, unsigned distance) {
  for (uint32_t rest = active & pair; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest)), other = lane ^ distance;
    if ((active >> other & 1) && by_lane[other] != by_lane[lane]) return false;
  }
  return true;
}

// Distinct values of (address + shift) / unit; the addresses are n.
unsigned distinct_units(const uint64_t* address, unsigned n, unsigned shift, unsigned unit) {
  uint64_t seen[WARP_LANES];
  for (unsigned i = 0; i < n; ++i) seen[i] = (address[i] + shift) / unit;
  std::sort(seen, seen + n);
  return static_cast<unsigned>(std::unique(seen, seen + n) - seen);
}

}  // namespace

Request make_request(const uint64_t* address, const uint8_t* lane, unsigned lane_count, unsigned size_bytes) {
  uint64_t lowest = address[0], highest = address[0], difference = 0;
  for (unsigned i = 1; i < lane_count; ++i) {
    lowest = std::min(lowest, address[i]);
    highest = std::max(highest, address[i]);
    difference |= (address[i] - address[i - 1]) ^ size_bytes;
  }
  return {lane_count, size_bytes, address, lane, lowest, highest, difference == 0};
}

Sectors count_sectors(const Request& r) {
  Sectors s;
  if (r.is_dense || r.lowest == r.highest) {
    uint64_t first = r.lowest / SECTOR_BYTES, last = (r.highest + r.size_bytes - 1) / SECTOR_BYTES;
    for (uint64_t sector = first; sector <= last && s.count < WARP_LANES; ++sector) s.sector[s.count++] = sector;
    s.tags = static_cast<unsigned>((r.highest + r.size_bytes - 1) / LINE_BYTES - r.lowest / LINE_BYTES + 1);
  } else {
    uint64_t last = ~uint64_t{0};
    for (unsigned i = 0; i < r.lane_count; ++i) {
      uint64_t sector = r.address[i] / SECTOR_BYTES;
      if (sector != last) add_distinct(s, sector);
      last = sector;
    }
    s.tags = distinct_lines(s);
  }
  s.ideal = ideal_sectors(s.count, r.lane_count, r.size_bytes);
  return s;
}

bool have_sectors_of_place(const Request& r) {
  if (r.lowest == r.highest) return false;
  unsigned here = distinct_units(r.address, r.lane_count, 0, SECTOR_BYTES);
  for (unsigned shift = r.size_bytes; shift < SECTOR_BYTES; shift += r.size_bytes)
    if (distinct_units(r.address, r.lane_count, shift, SECTOR_BYTES) != here) return true;
  return false;
}

bool have_wavefronts_of_place(const Request& r) {
  if (r.size_bytes >= BANK_BYTES || r.highest - r.lowest < BANK_BYTES * (BANKS - 1)) return false;
  unsigned here = passes(r.address, r.lane_count, r.size_bytes);
  for (unsigned shift = r.size_bytes; shift < BANK_BYTES; shift += r.size_bytes) {
    uint64_t shifted[WARP_LANES];
    for (unsigned i = 0; i < r.lane_count; ++i) shifted[i] = r.address[i] + shift;
    if (passes(shifted, r.lane_count, r.size_bytes) != here) return true;
  }
  return false;
}

Wavefronts count_wavefronts(const Request& r, bool is_store) {
  unsigned group_lanes = r.size_bytes <= 4 ? 32 : r.size_bytes == 8 ? 16 : 8;
  if (group_lanes == 32) {
    if (r.highest / BANK_BYTES - r.lowest / BANK_BYTES < BANKS) return {1, 1, false};  // no two words share a bank
    return {passes(r.address, r.lane_count, r.size_bytes), 1, false};
  }
  if (r.lowest == r.highest && r.lane_count < WARP_LANES && !is_store) return {1, 1, group_lanes == 8};
  uint64_t by_lane[WARP_LANES];
  uint32_t active = 0;
  for (unsigned i = 0; i < r.lane_count; ++i) {
    by_lane[r.lane[i]] = r.address[i];
    active |= 1u << r.lane[i];
  }
  Wavefronts w;
  for (unsigned i = 0; i < r.lane_count;) {
    unsigned span = 2 * group_lanes, pair = r.lane[i] / span, begin = i, middle = i;
    for (; i < r.lane_count && r.lane[i] / span == pair; ++i) middle += r.lane[i] / group_lanes == 2 * pair;
    unsigned apart = (middle > begin ? passes(r.address + begin, middle - begin, r.size_bytes) : 0) +
                     (i > middle ? passes(r.address + middle, i - middle, r.size_bytes) : 0);
    uint32_t lanes = group_lanes == 16 ? ~0u : 0xffffu << (pair * span);
    bool may_merge = !is_store && (neighbours_agree(by_lane, active, lanes, 1) || neighbours_agree(by_lane, active, lanes, 2));
    unsigned merged = may_merge ? passes(r.address + begin, i - begin, r.size_bytes) : apart;
    bool is_full = r.lane_count == WARP_LANES;
    bool is_merged = is_full || merged == 1;
    w.is_doubtful |= merged != apart && (merged > 1 || (group_lanes == 8 && !is_full));
    w.count += is_merged ? merged : apart;
  }
  w.ideal = std::min(w.count, (r.lane_count * r.size_bytes + LINE_BYTES - 1) / LINE_BYTES);
  return w;
}

unsigned count_serial_wavefronts(const Request& r) {
  uint8_t lanes[BANKS] = {}, most = 0;
  for (unsigned i = 0; i < r.lane_count; ++i) most = std::max(most, ++lanes[r.address[i] / BANK_BYTES % BANKS]);
  return most;
}

Sectors count_local_sectors(const Request& r, const uint64_t* local_offset) {
  constexpr unsigned LANES_PER_SECTOR = SECTOR_BYTES / BANK_BYTES;
  uint64_t seen[WARP_LANES * 4];
  unsigned count = 0;
  for (unsigned i = 0; i < r.lane_count; ++i)
    for (uint64_t word = local_offset[i] / 4; word <= (local_offset[i] + r.size_bytes - 1) / 4; ++word) {
      uint64_t sector = word * (WARP_LANES / LANES_PER_SECTOR) + r.lane[i] / LANES_PER_SECTOR;
      bool is_new = true;
      for (unsigned k = count; k-- > 0 && is_new;) is_new = seen[k] != sector;
      if (is_new && count < WARP_LANES * 4) seen[count++] = sector;
    }
  Sectors s;
  s.count = count;
  s.ideal = ideal_sectors(count, r.lane_count, r.size_bytes);
  return s;
}

}  // namespace emu
