// kernel=difference line=6 finding=KO106
#include <cstdio>

__global__ void difference(float *out, const float *a, const float *b, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = ((double)a[i] - b[i]) * 0.5;
}

int main() {
    float *a, *b, *out;
    cudaMallocManaged(&a, 32 * sizeof(float));
    cudaMallocManaged(&b, 32 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) a[i] = 2 * (b[i] = 2 * i);
    difference<<<1, 32>>>(out, a, b, 32);
    cudaDeviceSynchronize();
    return puts(out[3] == 3 ? "PASS" : "FAIL"), 0;
}
