// kernel=row_sums line=9 finding=KO110
#include <cstdio>

__global__ void row_sums(const int *in, int *sums, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    if (c < cols)
        atomicAdd(&sums[blockIdx.y], in[row * cols + c]);
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
