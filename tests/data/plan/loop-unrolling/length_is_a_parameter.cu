// kernel=power line=6 finding=KO114
#include <cstdio>

__global__ void power(float *x, int exponent) {
    float value = 1, base = x[threadIdx.x];
    for (int i = 0; i < exponent; ++i) value *= base;
    x[threadIdx.x] = value;
}

int main() {
    float *x;
    cudaMallocManaged(&x, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = 2;
    power<<<1, 32>>>(x, 5);
    cudaDeviceSynchronize();
    return puts(x[3] == 32 ? "PASS" : "FAIL"), 0;
}
