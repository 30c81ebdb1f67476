#pragma once
#define RADIUS 2
extern __constant__ float taps[2 * RADIUS + 1];
__device__ int clamped(int i, int size);     // taps.cu
