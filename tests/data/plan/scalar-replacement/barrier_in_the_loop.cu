// kernel=relax line=7 finding=KO107
#include <cstdio>

__global__ void relax(float *__restrict__ grid, int steps) {
    int i = threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        grid[i] += 1.0f;
        __syncthreads();
    }
}

int main() {
    float *grid;
    cudaMallocManaged(&grid, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) grid[i] = 0;
    relax<<<1, 32>>>(grid, 5);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i)
        if (grid[i] != 5) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
