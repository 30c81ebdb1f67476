// kernel=row_sums line=9 finding=KO110
#include <cstdio>

__global__ void row_sums(const int *in, int *sums, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    int thread_sums = 0;
    if (c < cols)
        thread_sums += in[row * cols + c];
    for (int offset = 16; offset > 0; offset /= 2)
        thread_sums += __shfl_down_sync(0xffffffff, thread_sums, offset);
    __shared__ int warp_sums[4];
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = thread_sums;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 4; warp++)
            thread_sums += warp_sums[warp];
        atomicAdd(&sums[blockIdx.y], thread_sums);
    }
}

int main() {
    const int n = 10000;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i % 23 - 4;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    int *sums, out[10];
    cudaMalloc(&sums, sizeof(out));
    cudaMemset(sums, 0, sizeof(out));
    dim3 grid((1000 + 127) / 128, 10);
    row_sums<<<grid, 128>>>(in, sums, 1000);
    cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%d %d\n", out[0], out[9]);
    return 0;
}
