// A launch that ends in every block at once: while one ends it, other threads of the emulator begin their first blocks.
#include <cstdio>

__global__ void fault(int *p, int n) { p[n] = 1; }

int main()
{
    int *p;
    cudaMalloc(&p, 4);
    fault<<<256, 256>>>(p, 1 << 28);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
