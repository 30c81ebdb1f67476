// kernel=iterate line=6 finding=KO114
#include <cstdio>

__global__ void iterate(float *x) {
    float value = x[threadIdx.x];
    for (int k = 0; k < 1000; ++k) {
        value = value * 0.5f;
        value = value + 1.0f;
    }
    x[threadIdx.x] = value;
}

int main() {
    float *x;
    cudaMallocManaged(&x, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = 5;
    iterate<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    return puts(x[3] == 2 ? "PASS" : "FAIL"), 0;
}
