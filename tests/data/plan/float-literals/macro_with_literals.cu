// kernel=halve line=7 finding=KO106
#include <cstdio>
#define HALF_OF(x) (0.5 * (x))

__global__ void halve(float *x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] = HALF_OF(x[i]);
}

int main() {
    float *x;
    cudaMallocManaged(&x, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = i;
    halve<<<1, 32>>>(x, 32);
    cudaDeviceSynchronize();
    return puts(x[3] == HALF_OF(3) ? "PASS" : "FAIL"), 0;
}
