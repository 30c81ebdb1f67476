// kernel=fill line=6 finding=KO106
#include <cstdio>

__global__ void fill(float *out, int n) {
    int i = threadIdx.x;
    const float value = 1.0 / 3.0;
    if (i < n) out[i] = value + 0.5f;
}

int main() {
    float *out;
    cudaMallocManaged(&out, 32 * sizeof(float));
    fill<<<1, 32>>>(out, 32);
    cudaDeviceSynchronize();
    return puts(out[3] == (float)(1.0 / 3.0) + 0.5f ? "PASS" : "FAIL"), 0;
}
