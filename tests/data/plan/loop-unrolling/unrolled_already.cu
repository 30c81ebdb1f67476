// kernel=sum8 line=7 finding=KO114
#include <cstdio>

__global__ void sum8(float *out, const float *in) {
    float sum = 0;
    #pragma unroll 4
    for (int k = 0; k < 8; ++k) sum += in[threadIdx.x * 8 + k];
    out[threadIdx.x] = sum;
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 256 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(float));
    for (int i = 0; i < 256; ++i) in[i] = 1;
    sum8<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    return puts(out[3] == 8 ? "PASS" : "FAIL"), 0;
}
