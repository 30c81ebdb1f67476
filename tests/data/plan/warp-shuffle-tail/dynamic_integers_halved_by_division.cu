// kernel=block_sum line=10 finding=KO115
#include <cstdio>

__global__ void block_sum(int *out, const int *in, int n) {
    extern __shared__ int sh[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sh[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s >= 1; s /= 2) {
        if (tid < s) { sh[tid] += sh[s + tid]; }  // the other half
        __syncthreads();
    }  // sh[0] has it all
    if (tid == 0) out[blockIdx.x] = sh[0];
}

int main() {
    const int n = 1000;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, 8 * sizeof(int));
    for (int i = 0; i < n; ++i) in[i] = i % 5;
    block_sum<<<4, 256, 256 * sizeof(int)>>>(out, in, n);
    cudaDeviceSynchronize();
    int total = 0;
    for (int b = 0; b < (n + 256 - 1) / 256; ++b) total += out[b];
    return puts(total == 2000 ? "PASS" : "FAIL"), total != 2000;
}
