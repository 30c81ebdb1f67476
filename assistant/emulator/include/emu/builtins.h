// Built-in variables of device code. They are read by inline assembly from the thread context, so that the sanitizer hooks never see
// the reads and the compiler may still reuse their values within one kernel.
#pragma once
#include "../../runtime/abi.h"
#include "vector_types.h"

#define EMU_CONTEXT(field)                                                                                      \
  ({                                                                                                            \
    unsigned emu_value;                                                                                         \
    __asm__("movl %%fs:__emu_tc@tpoff+%c1, %0" : "=r"(emu_value) : "i"(__builtin_offsetof(EmuThreadContext, field))); \
    emu_value;                                                                                                  \
  })
EMU_INLINE uint3 emu_thread_index() { return uint3{EMU_CONTEXT(thread_x), EMU_CONTEXT(thread_y), EMU_CONTEXT(thread_z)}; }
EMU_INLINE uint3 emu_block_index() { return uint3{EMU_CONTEXT(block_x), EMU_CONTEXT(block_y), EMU_CONTEXT(block_z)}; }
EMU_INLINE dim3 emu_block_size() { return dim3(EMU_CONTEXT(block_dim_x), EMU_CONTEXT(block_dim_y), EMU_CONTEXT(block_dim_z)); }
EMU_INLINE dim3 emu_grid_size() { return dim3(EMU_CONTEXT(grid_dim_x), EMU_CONTEXT(grid_dim_y), EMU_CONTEXT(grid_dim_z)); }
EMU_INLINE unsigned emu_lane_index() { return EMU_CONTEXT(lane); }
EMU_INLINE unsigned emu_warp_index() { return EMU_CONTEXT(warp); }

// The translator renames user variables and fields of these names, so the macros only ever meet the built-in variables.
#define threadIdx (emu_thread_index())
#define blockIdx (emu_block_index())
#define blockDim (emu_block_size())
#define gridDim (emu_grid_size())
static constexpr int warpSize = 32;
