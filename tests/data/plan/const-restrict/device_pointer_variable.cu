// kernel=logged line=10 finding=KO113
#include <cstdio>

__device__ float *log_buffer;

__global__ void logged(float *out, const float *in, int n) {
    int i = threadIdx.x;
    if (i < n) {
        log_buffer[i] = 1;
        out[i] = in[i];
    }
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) in[i] = i;
    cudaMemcpyToSymbol(log_buffer, &in, sizeof(in));
    logged<<<1, 32>>>(out, in, 32);
    cudaDeviceSynchronize();
    return puts(out[4] == 1 ? "PASS" : "FAIL"), 0;
}
