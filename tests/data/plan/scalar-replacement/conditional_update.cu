// kernel=count line=7 finding=KO107
#include <cstdio>

__global__ void count(int *__restrict__ counts, const float *__restrict__ in, int n, int limit) {
    int t = threadIdx.x;
    for (int i = t; i < n; i += 32) {
        if (t < limit) counts[t] += in[i] > 0.5f;
    }
}

int main() {
    int *counts;
    float *in;
    cudaMallocManaged(&counts, 8 * sizeof(int));
    cudaMallocManaged(&in, 64 * sizeof(float));
    for (int i = 0; i < 8; ++i) counts[i] = 0;
    for (int i = 0; i < 64; ++i) in[i] = 1;
    count<<<1, 32>>>(counts, in, 64, 8);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i)
        if (counts[i] != 2) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
