// kernel=inclusiveScan line=13 finding=KO119
#include <cstdio>

#define BLOCK_SIZE 128

__global__ void inclusiveScan(const float* input, float* output, float* blockSums, int n) {
    __shared__ float temp[BLOCK_SIZE / 64];
    int tid = threadIdx.x;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    const bool whole = (reinterpret_cast<size_t>(input) | reinterpret_cast<size_t>(output)) % 8 == 0 && first + 2 <= n;
    alignas(8) float items[2];
    if (whole) {
        *reinterpret_cast<float2 *>(items) = *reinterpret_cast<const float2 *>(input + first);
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int gid = first + k;
            items[k] = gid < n ? input[gid] : 0.0f;
        }
    }
    float sum = items[0] + items[1];
    for (int offset = 1; offset < 32; offset *= 2) {
        float left = __shfl_up_sync(0xffffffff, sum, offset);
        if (tid % 32 >= offset)
            sum += left;
    }
    float running = __shfl_up_sync(0xffffffff, sum, 1);
    if (tid % 32 == 0)
        running = 0.0f;
    if (tid % 32 == 31)
        temp[tid / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < tid / 32; warp++)
        running += temp[warp];
    alignas(8) float output2[2];
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        running += items[k];
        output2[k] = running;
    }

    if (whole) {
        *reinterpret_cast<float2 *>(output + first) = *reinterpret_cast<float2 *>(output2);
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            if (first + k < n)
                output[first + k] = output2[k];
    }
    if (tid == blockDim.x - 1) blockSums[blockIdx.x] = running;
}

int main() {
    int n = 3000, blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    float *in, *out, *sums;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&sums, blocks * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = (i % 7) * 0.5f;
    inclusiveScan<<<blocks, BLOCK_SIZE / 2>>>(in, out, sums, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[127], sums[blocks - 1]);
}
