// kernel=average line=13 finding=KO114
#include <cstdio>

#ifndef TAPS
#define TAPS 4
#endif

// TAPS can be set with -DTAPS=3: only the compiler may count on its value.
__global__ void average(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int t = 0; t < TAPS; ++t)
        sum += in[i + t];
    out[i] = sum / TAPS;
}

int main() {
    const int n = 50;
    float *in, *out;
    cudaMallocManaged(&in, (n + TAPS) * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i < n + TAPS; ++i) in[i] = 2;
    average<<<2, 32>>>(out, in, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        if (out[i] != 2) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
