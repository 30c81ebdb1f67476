#pragma once

namespace vec {

// v = a * v + b
static __global__ void scale(float *v, int n, float a, float b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = a * v[i] + b;
}

inline void scale_all(float *v, int n)
{
    scale<<<(n + 31) / 32, 32>>>(v, n, 1.5f, 2.0f);
}

} // namespace vec
