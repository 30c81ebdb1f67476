// kernel=ramp line=12 finding=KO101
#include <cstdio>
#include <cstdlib>

// Each thread fills its piece of the elements.
__global__ void ramp(unsigned *out, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int piece = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    int begin = id * piece, end = min(begin + piece, n);
    for (int i = begin; i < end; i++)
        out[i] = 3u * i;
}

int main()
{
    unsigned *d;
    cudaMalloc(&d, 5000 * sizeof(unsigned));
    ramp<<<4, 64>>>(d, 5000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
