// kernel=block_sum line=9 finding=KO115
#include <cstdio>

__global__ void block_sum(float *out, const float *in, int n) {
    __shared__ float sh[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sh[tid] = i < n ? in[i] : 0;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (tid < s) sh[tid] += sh[tid + s];
    }
    if (tid == 0) out[blockIdx.x] = sh[0];
}

int main() {
    const int n = 1000;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, 8 * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = i % 5;
    block_sum<<<(n + 256 - 1) / 256, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    float total = 0;
    for (int b = 0; b < (n + 256 - 1) / 256; ++b) total += out[b];
    return puts(total == 2000 ? "PASS" : "FAIL"), total != 2000;
}
