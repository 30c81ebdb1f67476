// kernel=add_offsets line=8 finding=KO118
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

void run(int *out, const int *offsets, int n)
{
    int blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    add_offsets<<<blocks, SCAN_BLOCK / 4>>>(out, offsets, n);
}
