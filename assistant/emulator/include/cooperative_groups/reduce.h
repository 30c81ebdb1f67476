// cooperative_groups::reduce over tiles and coalesced groups.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class T, class Op> EMU_INLINE T reduce(const coalesced_group& group, T value, Op op) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); rank++) result = op(result, group.shfl(value, rank));
  return result;
}
template <unsigned N, class P, class T, class Op> EMU_INLINE T reduce(const thread_block_tile<N, P>& group, T value, Op op) {
  if (group.emu_mask() == emu_warp_mask() && emu_warp_mask() != 0xffffffffu) {  // a short last tile
    coalesced_group lanes{group.emu_mask()};
    return reduce(lanes, value, op);
  }
  for (unsigned lanes = N / 2; lanes > 0; lanes /= 2) value = op(value, group.shfl_xor(value, lanes));
  return value;
}
template <class G, class T, class Op> EMU_INLINE void reduce_update_async(const G& group, T& target, T value, Op op) {
  T total = reduce(group, value, op);
  if (group.thread_rank() == 0) target = op(target, total);
}
}  // namespace cooperative_groups
