// cooperative_groups::memcpy_async: the group's threads copy element by element, asynchronously from global to shared memory, at once
// elsewhere; wait and wait_prior wait for a thread's own copies, then for the group (cooperative_groups/details/async.h of CUDA 13.0).
#pragma once
#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"

namespace cooperative_groups {
template <class T> struct emu_element { using type = T; };
template <> struct emu_element<void> { using type = char; };

template <class G, class T> EMU_INLINE void emu_copy_elements(const G& group, T* to, const T* from, size_t count) {
  bool is_async = __isShared(to) && __isGlobal(from);
  for (size_t i = group.thread_rank(); i < count; i += group.size())
    if (is_async) __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    else to[i] = from[i];
  emu_copy_commit();
}
template <class G, class T> EMU_INLINE void memcpy_async(const G& group, T* to, const T* from, size_t bytes) {
  using E = typename emu_element<T>::type;
  emu_copy_elements(group, (E*)to, (const E*)from, bytes / sizeof(E));
}
template <class G, class T, class U> EMU_INLINE void memcpy_async(const G& group, T* to, size_t to_count, const U* from, size_t from_count) {
  emu_copy_elements(group, to, (const T*)from, to_count < from_count ? to_count : from_count);
}
template <class G> EMU_INLINE void wait(const G& group) {
  emu_copy_wait(0);
  group.sync();
}
template <unsigned N, class G> EMU_INLINE void wait_prior(const G& group) {
  emu_copy_wait(N);
  group.sync();
}
}  // namespace cooperative_groups
