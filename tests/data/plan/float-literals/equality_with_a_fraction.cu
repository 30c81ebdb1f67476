// kernel=flags line=6 finding=KO106
#include <cstdio>

__global__ void flags(int *out, const float *in, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] == 0.1;
}

int main() {
    float *in;
    int *out;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) in[i] = 0.1f;
    flags<<<1, 32>>>(out, in, 32);
    cudaDeviceSynchronize();
    return puts(out[3] == 0 ? "PASS" : "FAIL"), 0;
}
