// cooperative_groups::memcpy_async: the group's threads copy at once, element by element; wait is the group's barrier.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class G, class T> EMU_INLINE void memcpy_async(const G& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class G, class T, class U> EMU_INLINE void memcpy_async(const G& group, T* to, size_t to_count, const U* from, size_t from_count) {
  for (size_t i = group.thread_rank(); i < to_count && i < from_count; i += group.size()) to[i] = from[i];
}
template <class G> EMU_INLINE void wait(const G& group) { group.sync(); }
template <unsigned N, class G> EMU_INLINE void wait_prior(const G& group) { group.sync(); }
}  // namespace cooperative_groups
