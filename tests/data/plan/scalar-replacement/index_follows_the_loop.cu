// kernel=prefix line=7 finding=KO107
#include <cstdio>

__global__ void prefix(float *__restrict__ out, const float *__restrict__ in, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; ++k) {
        out[i * n + k] += in[k];
    }
}

int main() {
    float *out, *in;
    cudaMallocManaged(&out, 32 * 4 * sizeof(float));
    cudaMallocManaged(&in, 4 * sizeof(float));
    for (int i = 0; i < 4; ++i) in[i] = i;
    for (int i = 0; i < 128; ++i) out[i] = 1;
    prefix<<<1, 32>>>(out, in, 4);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; ++i)
        if (out[i] != 1 + i % 4) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
