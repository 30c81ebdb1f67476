// kernel=inclusiveScan line=13 finding=KO119
#include <cstdio>

#define BLOCK_SIZE 128

__global__ void inclusiveScan(const float* input, float* output, float* blockSums, int n) {
    __shared__ float temp[BLOCK_SIZE];
    int tid = threadIdx.x;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    temp[tid] = (gid < n) ? input[gid] : 0.0f;
    __syncthreads();

    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        float val = 0.0f;
        if (tid >= stride) val = temp[tid - stride];
        __syncthreads();
        if (tid >= stride) temp[tid] += val;
        __syncthreads();
    }

    if (gid < n) output[gid] = temp[tid];
    if (tid == blockDim.x - 1) blockSums[blockIdx.x] = temp[tid];
}

int main() {
    int n = 3000, blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    float *in, *out, *sums;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&sums, blocks * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = (i % 7) * 0.5f;
    inclusiveScan<<<blocks, BLOCK_SIZE>>>(in, out, sums, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[127], sums[blocks - 1]);
}
