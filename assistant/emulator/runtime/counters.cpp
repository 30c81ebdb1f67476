#include "counters.h"

#include <algorithm>

#include "corrections.h"

namespace emu {

void SpaceCounters::add(const SpaceCounters& other) {
  requests += other.requests;
  lanes += other.lanes;
  units += other.units;
  ideal_units += other.ideal_units;
  tags += other.tags;
  passes += other.passes;
}

void Steps::add(const Steps& other) {
  sum += other.sum;
  longest_warp = std::max(longest_warp, other.longest_warp);
  longest_block = std::max(longest_block, other.longest_block);
  block_squares += other.block_squares;
}

void Site::add(const Site& other) {
  global.add(other.global);
  shared.add(other.shared);
  local.add(other.local);
  constant.add(other.constant);
  doubtful_requests += other.doubtful_requests;
  serial_wavefronts += other.serial_wavefronts;
  executions += other.executions;
  lanes += other.lanes;
  divergences += other.divergences;
  kind |= other.kind & EVENT_COMPARE_AND_SWAP;
  is_unordered = is_unordered || other.is_unordered;
}

void Counters::reserve(uint32_t text_begin, size_t text_bytes) {
  text_begin_ = text_begin;
  slots_.assign(text_bytes + 1, 0);
}

uint32_t Counters::add_site(const Event& event) {
  Site site;
  site.pc = event.pc;
  site.kind = event.kind;
  site.size_bytes = event.size_bytes;
  site.correction = correction_of(event.pc);
  sites_.push_back(site);
  return static_cast<uint32_t>(sites_.size() - 1);
}

void Counters::drain_into(std::map<uint32_t, Site>& total) {
  for (size_t i = 1; i < sites_.size(); ++i) {
    const Site& site = sites_[i];
    auto [entry, is_new] = total.emplace(site.pc, site);
    if (!is_new) entry->second.add(site);
    slots_[site.pc - text_begin_] = 0;
  }
  sites_.resize(1);
}

}  // namespace emu
