// kernel=add_offsets line=10 finding=KO118
#include <cstdio>

#define SCAN_BLOCK 512

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    int i = blockIdx.x * SCAN_BLOCK + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}

int main()
{
    const int n = 20011, blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    int *out, *offsets;
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&offsets, blocks * sizeof(int));
    for (int i = 0; i < n; i++) out[i] = i * 7 % 31;
    for (int b = 0; b < blocks; b++) offsets[b] = b * 512 + 5;
    add_offsets<<<blocks, SCAN_BLOCK>>>(out, offsets, n);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[n - 1]);
}
