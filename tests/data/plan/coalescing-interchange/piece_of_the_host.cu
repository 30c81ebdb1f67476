// kernel=ramp line=11 finding=KO101
#include <cstdio>
#include <cstdlib>

// Each thread fills its piece with what the host passes.
__global__ void ramp(unsigned *out, int n, int piece)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int begin = id * piece, end = min(begin + piece, n);
    for (int i = begin; i < end; i++)
        out[i] = 3u * i;
}

int main()
{
    unsigned *d;
    cudaMalloc(&d, 5000 * sizeof(unsigned));
    ramp<<<4, 64>>>(d, 5000, (5000 + 255) / 256);
    return cudaDeviceSynchronize() != cudaSuccess;
}
