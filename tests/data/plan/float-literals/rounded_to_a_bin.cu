// kernel=histogram line=7 finding=KO106
#include <cstdio>

__global__ void histogram(int *bins, const float *in, int n) {
    int i = threadIdx.x;
    if (i < n) {
        int bin = in[i] * 10.0 + 0.5;
        atomicAdd(&bins[bin], 1);
    }
}

int main() {
    float *in;
    int *bins;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&bins, 16 * sizeof(int));
    for (int i = 0; i < 16; ++i) bins[i] = 0;
    for (int i = 0; i < 32; ++i) in[i] = 0.3f;
    histogram<<<1, 32>>>(bins, in, 32);
    cudaDeviceSynchronize();
    return puts(bins[3] == 32 ? "PASS" : "FAIL"), 0;
}
