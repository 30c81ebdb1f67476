// kernel=rescale line=6 finding=KO106
#include <cstdio>

__global__ void rescale(float *x, int n) {
    int i = threadIdx.x;
    if (i < n) x[i] = x[i] * 1e-60 * 1e60;
}

int main() {
    float *x;
    cudaMallocManaged(&x, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = i;
    rescale<<<1, 32>>>(x, 32);
    cudaDeviceSynchronize();
    return puts(x[3] > 2.99f && x[3] < 3.01f ? "PASS" : "FAIL"), 0;
}
