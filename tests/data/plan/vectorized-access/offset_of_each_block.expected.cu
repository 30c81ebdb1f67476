// kernel=add_offsets line=10 finding=KO118
#include <cstdio>

#define SCAN_BLOCK 512

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    const bool aligned = reinterpret_cast<size_t>(out) % 16 == 0;
    const int first = blockIdx.x * SCAN_BLOCK + threadIdx.x * 4;
    if (aligned && first + 4 <= n) {
        alignas(16) int out4[4];
        *reinterpret_cast<int4 *>(out4) = *reinterpret_cast<const int4 *>(out + first);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            out4[k] += offsets[blockIdx.x];
        *reinterpret_cast<int4 *>(out + first) = *reinterpret_cast<int4 *>(out4);
    } else {
        for (int i = first; i < n && i < first + 4; ++i)
            out[i] += offsets[blockIdx.x];
    }
}

int main()
{
    const int n = 20011, blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    int *out, *offsets;
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&offsets, blocks * sizeof(int));
    for (int i = 0; i < n; i++) out[i] = i * 7 % 31;
    for (int b = 0; b < blocks; b++) offsets[b] = b * 512 + 5;
    add_offsets<<<blocks, SCAN_BLOCK / 4>>>(out, offsets, n);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[n - 1]);
}
