#include "weights.cuh"

__constant__ float weights[8] = {1, 2, 3, 4, 4, 3, 2, 1};

__device__ float weighted(const float *v, int i)
{
    return v[i] * weights[i % 8];
}
