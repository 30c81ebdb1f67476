// kernel=wait line=5 finding=KO107
#include <cstdio>

__global__ void wait(volatile int *ticks, int n) {
    for (int i = 0; i < n; ++i) ticks[threadIdx.x] += 1;
}

int main() {
    int *ticks;
    cudaMallocManaged(&ticks, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) ticks[i] = 0;
    wait<<<1, 32>>>(ticks, 4);
    cudaDeviceSynchronize();
    return puts(ticks[3] == 4 ? "PASS" : "FAIL"), 0;
}
