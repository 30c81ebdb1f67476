// kernel=blockSums line=11 finding=KO115
#include <cstdio>
#define BLOCK 128

__global__ void blockSums(const int *input, int *sums, int *largest)
{
    __shared__ int partialSum[BLOCK];
    unsigned int t = threadIdx.x;
    partialSum[t] = input[blockIdx.x * blockDim.x + t];
    // each step waits for the one before
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2)
    {
        __syncthreads();
        if (t % (2 * stride) == 0)
            partialSum[t] += partialSum[t + stride];
    }
    if (t == 0) {
        sums[blockIdx.x] = partialSum[0];
        atomicMax(largest, partialSum[0]);
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
