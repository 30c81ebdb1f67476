// kernel=blockSums line=11 finding=KO115
#include <cstdio>
#define BLOCK 128

__global__ void blockSums(const int *input, int *sums, int *largest)
{
    __shared__ int partialSum[BLOCK / 32];
    unsigned int t = threadIdx.x;
    int value = input[blockIdx.x * blockDim.x + t];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (t % 32 == 0)
        partialSum[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < BLOCK / 32; warp++)
            value += partialSum[warp];
        sums[blockIdx.x] = value;
        atomicMax(largest, value);
    }
}

int main()
{
    const int blocks = 12, n = blocks * BLOCK;
    int h[n], sums[blocks], most = 0, *in, *out, *largest;
    for (int i = 0; i < n; i++)
        h[i] = i * 37 % 101;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMalloc(&largest, sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(largest, 0, sizeof(int));
    blockSums<<<blocks, BLOCK>>>(in, out, largest);
    cudaMemcpy(sums, out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&most, largest, sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        printf("%d ", sums[b]);
    printf("%d\n", most);
    return 0;
}
