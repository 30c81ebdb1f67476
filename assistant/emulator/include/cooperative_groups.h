// Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): block, tiles up to a warp, coalesced threads, grid;
// collectives are in cooperative_groups/.
#pragma once
#include "cuda_runtime.h"

namespace cooperative_groups {

EMU_INLINE unsigned emu_block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
EMU_INLINE unsigned emu_block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
// Lanes of the caller's warp that exist: the last warp of a block may be short.
EMU_INLINE unsigned emu_warp_mask() {
  unsigned left = emu_block_threads() - emu_warp_index() * 32;
  return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}
EMU_INLINE unsigned emu_nth_lane(unsigned mask, unsigned rank) {
  while (rank--) mask &= mask - 1;
  return (unsigned)__builtin_ctz(mask | 0x80000000u);
}
// A shuffle of any trivially copyable value, eight bytes at a time.
template <class T> EMU_INLINE T emu_shuffle_value(unsigned mask, T value, unsigned argument, unsigned width, int mode) {
  T result;
  for (size_t i = 0; i < sizeof(T); i += 8) {
    uint64_t bits = 0;
    size_t n = sizeof(T) - i < 8 ? sizeof(T) - i : 8;
    __builtin_memcpy(&bits, (const char*)&value + i, n);
    bits = emu_shuffle(mask, bits, argument, width, mode);
    __builtin_memcpy((char*)&result + i, &bits, n);
  }
  return result;
}

struct thread_block {
  static constexpr unsigned _emu_kind = 0;
  EMU_INLINE static void sync() { emu_syncthreads(); }
  EMU_INLINE static unsigned thread_rank() { return emu_block_rank(); }
  EMU_INLINE static unsigned size() { return emu_block_threads(); }
  EMU_INLINE static unsigned num_threads() { return emu_block_threads(); }
  EMU_INLINE static dim3 thread_index() { return threadIdx; }
  EMU_INLINE static dim3 group_index() { return blockIdx; }
  EMU_INLINE static dim3 group_dim() { return blockDim; }
  EMU_INLINE static dim3 dim_threads() { return blockDim; }
  struct arrival_token {};
  EMU_INLINE arrival_token barrier_arrive() const { return {}; }
  EMU_INLINE void barrier_wait(arrival_token&&) const { emu_syncthreads(); }
};

struct grid_group {
  EMU_INLINE static bool is_valid() { return true; }
  EMU_INLINE static void sync() { emu_grid_sync(); }
  EMU_INLINE static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
  EMU_INLINE static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  EMU_INLINE static unsigned long long thread_rank() { return block_rank() * emu_block_threads() + emu_block_rank(); }
  EMU_INLINE static unsigned long long size() { return num_blocks() * emu_block_threads(); }
  EMU_INLINE static unsigned long long num_threads() { return size(); }
  EMU_INLINE static dim3 block_index() { return blockIdx; }
  EMU_INLINE static dim3 dim_blocks() { return gridDim; }
  EMU_INLINE static dim3 group_dim() { return gridDim; }
};

// A set of lanes of one warp: what tiles, coalesced groups and partitions have in common. Ranks count the set's lanes upwards.
struct coalesced_group {
  unsigned _mask;
  unsigned _meta_rank = 0, _meta_size = 1;
  EMU_INLINE unsigned thread_rank() const { return (unsigned)__builtin_popcount(_mask & ((1u << emu_lane_index()) - 1)); }
  EMU_INLINE unsigned size() const { return (unsigned)__builtin_popcount(_mask); }
  EMU_INLINE unsigned num_threads() const { return size(); }
  EMU_INLINE unsigned meta_group_rank() const { return _meta_rank; }
  EMU_INLINE unsigned meta_group_size() const { return _meta_size; }
  EMU_INLINE unsigned emu_mask() const { return _mask; }
  EMU_INLINE void sync() const { emu_syncwarp(_mask); }
  template <class T> EMU_INLINE T shfl(T v, unsigned rank) const { return emu_shuffle_value(_mask, v, emu_nth_lane(_mask, rank % size()), 32, 0); }
  template <class T> EMU_INLINE T shfl_up(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    return emu_shuffle_value(_mask, v, rank < delta ? emu_lane_index() : emu_nth_lane(_mask, rank - delta), 32, 0);
  }
  template <class T> EMU_INLINE T shfl_down(T v, unsigned delta) const {
    unsigned rank = thread_rank() + delta;
    return emu_shuffle_value(_mask, v, rank >= size() ? emu_lane_index() : emu_nth_lane(_mask, rank), 32, 0);
  }
  EMU_INLINE unsigned _compact(unsigned lanes) const {
    unsigned packed = 0, at = 0;
    for (unsigned m = _mask; m; m &= m - 1, at++) packed |= (lanes >> __builtin_ctz(m) & 1u) << at;
    return packed;
  }
  EMU_INLINE int any(int p) const { return __any_sync(_mask, p); }
  EMU_INLINE int all(int p) const { return __all_sync(_mask, p); }
  EMU_INLINE unsigned ballot(int p) const { return _compact(__ballot_sync(_mask, p)); }
  template <class T> EMU_INLINE unsigned match_any(T v) const { return _compact(__match_any_sync(_mask, v)); }
  template <class T> EMU_INLINE unsigned match_all(T v, int& p) const { return _compact(__match_all_sync(_mask, v, &p)); }
};

template <unsigned N, class Parent = void> struct thread_block_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "the emulator supports tiles of 1, 2, 4, 8, 16 or 32 threads");
  thread_block_tile() = default;
  template <class Q> EMU_INLINE thread_block_tile(const thread_block_tile<N, Q>&) {}
  EMU_INLINE static unsigned emu_mask() {
    unsigned whole = N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << emu_lane_index() / N * N;
    return whole & emu_warp_mask();
  }
  EMU_INLINE static unsigned thread_rank() { return emu_lane_index() % N; }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  EMU_INLINE static unsigned meta_group_rank() { return emu_block_rank() / N; }
  EMU_INLINE static unsigned meta_group_size() { return (emu_block_threads() + N - 1) / N; }
  EMU_INLINE void sync() const { emu_syncwarp(emu_mask()); }
  template <class T> EMU_INLINE T shfl(T v, int rank) const { return emu_shuffle_value(emu_mask(), v, (unsigned)rank, N, 0); }
  template <class T> EMU_INLINE T shfl_up(T v, unsigned delta) const { return emu_shuffle_value(emu_mask(), v, delta, N, 1); }
  template <class T> EMU_INLINE T shfl_down(T v, unsigned delta) const { return emu_shuffle_value(emu_mask(), v, delta, N, 2); }
  template <class T> EMU_INLINE T shfl_xor(T v, unsigned lanes) const { return emu_shuffle_value(emu_mask(), v, lanes, N, 3); }
  EMU_INLINE static unsigned _own(unsigned lanes) { return (lanes & emu_mask()) >> emu_lane_index() / N * N; }
  EMU_INLINE int any(int p) const { return __any_sync(emu_mask(), p); }
  EMU_INLINE int all(int p) const { return __all_sync(emu_mask(), p); }
  EMU_INLINE unsigned ballot(int p) const { return _own(__ballot_sync(emu_mask(), p)); }
  template <class T> EMU_INLINE unsigned match_any(T v) const { return _own(__match_any_sync(emu_mask(), v)); }
  template <class T> EMU_INLINE unsigned match_all(T v, int& p) const { return _own(__match_all_sync(emu_mask(), v, &p)); }
};

// A group whose kind is known at run time: a block, or lanes of a warp.
struct thread_group {
  bool _is_block;
  coalesced_group _lanes;
  EMU_INLINE thread_group(const thread_block&) : _is_block(true), _lanes{0} {}
  EMU_INLINE thread_group(const coalesced_group& g) : _is_block(false), _lanes(g) {}
  template <unsigned N, class P> EMU_INLINE thread_group(const thread_block_tile<N, P>& g) : _is_block(false), _lanes{g.emu_mask()} {}
  EMU_INLINE void sync() const { if (_is_block) emu_syncthreads(); else _lanes.sync(); }
  EMU_INLINE unsigned thread_rank() const { return _is_block ? emu_block_rank() : _lanes.thread_rank(); }
  EMU_INLINE unsigned size() const { return _is_block ? emu_block_threads() : _lanes.size(); }
  EMU_INLINE unsigned num_threads() const { return size(); }
};

EMU_INLINE thread_block this_thread_block() { return {}; }
EMU_INLINE grid_group this_grid() { return {}; }
EMU_INLINE coalesced_group coalesced_threads() { return {emu_activemask()}; }
template <unsigned N, class G> EMU_INLINE thread_block_tile<N, G> tiled_partition(const G&) { return {}; }
template <class G> EMU_INLINE coalesced_group emu_tile(const G& parent, unsigned n, unsigned parent_mask) {
  unsigned rank = parent.thread_rank() % 32, mask = 0, at = 0;
  for (unsigned m = parent_mask; m; m &= m - 1, at++)
    if (at / n == rank / n) mask |= m & -m;
  return {mask, parent.thread_rank() / n, (parent.num_threads() + n - 1) / n};
}
EMU_INLINE thread_group tiled_partition(const thread_block& parent, unsigned n) { return emu_tile(parent, n, emu_warp_mask()); }
EMU_INLINE thread_group tiled_partition(const thread_group& parent, unsigned n) {
  return emu_tile(parent, n, parent._is_block ? emu_warp_mask() : parent._lanes._mask);
}
EMU_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned n) { return emu_tile(parent, n, parent._mask); }
template <class G, class L> EMU_INLINE coalesced_group labeled_partition(const G& group, L label) { return {__match_any_sync(group.emu_mask(), label)}; }
template <class G> EMU_INLINE coalesced_group binary_partition(const G& group, bool predicate) {
  unsigned yes = __ballot_sync(group.emu_mask(), predicate);
  return {predicate ? yes : group.emu_mask() & ~yes, predicate ? 1u : 0u, 2};
}
template <class G> EMU_INLINE void sync(const G& group) { group.sync(); }
template <class G> EMU_INLINE unsigned thread_rank(const G& group) { return (unsigned)group.thread_rank(); }
template <class G> EMU_INLINE unsigned group_size(const G& group) { return (unsigned)group.size(); }
template <class G, class F> EMU_INLINE void invoke_one(const G& group, F&& f) { if (group.thread_rank() == 0) f(); }

template <class T = void> struct plus { EMU_INLINE T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { EMU_INLINE T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { EMU_INLINE T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { EMU_INLINE T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { EMU_INLINE T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { EMU_INLINE T operator()(T a, T b) const { return a ^ b; } };
}  // namespace cooperative_groups
