// kernel=inclusiveScan line=13 finding=KO119
#include <cstdio>

#define BLOCK_SIZE 128

__global__ void inclusiveScan(const float* input, float* output, float* blockSums, int n) {
    __shared__ float temp[BLOCK_SIZE / 32];
    int tid = threadIdx.x;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = (gid < n) ? input[gid] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
        float left = __shfl_up_sync(0xffffffff, sum, offset);
        if (tid % 32 >= offset)
            sum += left;
    }
    if (tid % 32 == 31)
        temp[tid / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < tid / 32; warp++)
        sum += temp[warp];

    if (gid < n) output[gid] = sum;
    if (tid == blockDim.x - 1) blockSums[blockIdx.x] = sum;
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
