// kernel=shift line=6 finding=KO113
#include <cstdio>

__global__ void shift(float *__restrict__ out, const float *__restrict__ in, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[(i + 1) % n];
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) in[i] = i;
    shift<<<1, 32>>>(out, in, 32);
    cudaDeviceSynchronize();
    return puts(out[31] == 0 && out[0] == 1 ? "PASS" : "FAIL"), 0;
}
