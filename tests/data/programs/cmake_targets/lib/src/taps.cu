#include "taps.cuh"
#ifndef IMGK_BUILDING
#error "not from the outside"
#endif

__constant__ float taps[2 * RADIUS + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

__device__ int clamped(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
