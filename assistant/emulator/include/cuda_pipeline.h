// Asynchronous copies (CUDA C++ Programming Guide, "Pipeline Primitives Interface"): each is one read and one write for the counters, and
// what it writes appears when its group is waited for. Not here: __pipeline_arrive_on, nvcuda::experimental::pipeline.
#pragma once
#include "cuda_runtime.h"

EMU_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zero_fill = 0) {
  if (zero_fill < bytes) emu_copy_read(from, bytes - zero_fill);
  emu_copy_write(to, from, bytes, zero_fill);
}
EMU_INLINE void __pipeline_commit() { emu_copy_commit(); }
EMU_INLINE void __pipeline_wait_prior(size_t groups) { emu_copy_wait(groups); }
