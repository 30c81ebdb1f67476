// Asynchronous copies, done at once (CUDA C++ Programming Guide, "Pipeline Primitives Interface").
#pragma once
#include "cuda_runtime.h"

#define EMU_COPY_AS(T) { *(T*)to = *(const T*)from; return; }
EMU_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zero_fill = 0) {
  if (zero_fill == 0) {
    if (bytes == 16) EMU_COPY_AS(uint4)
    if (bytes == 8) EMU_COPY_AS(uint2)
    if (bytes == 4) EMU_COPY_AS(unsigned)
  }
  for (size_t i = 0; i < bytes; i++) ((char*)to)[i] = i < bytes - zero_fill ? ((const char*)from)[i] : 0;
}
#undef EMU_COPY_AS
EMU_INLINE void __pipeline_commit() {}
EMU_INLINE void __pipeline_wait_prior(size_t) {}
