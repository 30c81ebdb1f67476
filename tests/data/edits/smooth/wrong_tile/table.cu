// fills the table; only borrows the clamp
#include "smooth.cuh"

static __global__ void fill(float *p, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) p[i] = clampf(fmaf(0.37f, i % 29, -2.f), -1.5f, 7.5f);
}

void make_table(float *d_table, int n)
{
    fill<<<(n + 127) / 128, 128>>>(d_table, n);
}
