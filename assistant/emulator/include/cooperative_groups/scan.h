// cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class G, class T, class Op> EMU_INLINE T inclusive_scan(const G& group, T value, Op op) {
  unsigned rank = group.thread_rank();
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    T below = group.shfl_up(value, delta);
    if (rank >= delta) value = op(below, value);
  }
  return value;
}
template <class G, class T> EMU_INLINE T inclusive_scan(const G& group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class G, class T, class Op> EMU_INLINE T exclusive_scan(const G& group, T value, Op op) {
  T below = group.shfl_up(inclusive_scan(group, value, op), 1u);
  return group.thread_rank() == 0 ? T() : below;
}
template <class G, class T> EMU_INLINE T exclusive_scan(const G& group, T value) { return exclusive_scan(group, value, plus<T>()); }
}  // namespace cooperative_groups
