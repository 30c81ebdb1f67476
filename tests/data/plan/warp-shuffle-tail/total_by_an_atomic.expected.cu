// kernel=block_sum line=10 finding=KO115
#include <cstdio>

__global__ void block_sum(float *out, const float *in, int n) {
    __shared__ float sh[256];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sh[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
        if (tid < s)
            sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        float value = sh[tid];
        value += __shfl_down_sync(0xffffffff, value, 16);
        value += __shfl_down_sync(0xffffffff, value, 8);
        value += __shfl_down_sync(0xffffffff, value, 4);
        value += __shfl_down_sync(0xffffffff, value, 2);
        value += __shfl_down_sync(0xffffffff, value, 1);
        if (tid == 0) sh[0] = value;
    }
    __syncthreads();
    if (tid == 0) atomicAdd(out, sh[0]);
}

int main() {
    const int n = 1000;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = i % 5;
    *out = 0;
    block_sum<<<(n + 256 - 1) / 256, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    float total = *out;
    return puts(total == 2000 ? "PASS" : "FAIL"), total != 2000;
}
