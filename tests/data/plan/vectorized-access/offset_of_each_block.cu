// kernel=add_offsets line=8 finding=KO118
#define SCAN_BLOCK 512

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    int i = blockIdx.x * SCAN_BLOCK + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}

void run(int *out, const int *offsets, int n)
{
    int blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    add_offsets<<<blocks, SCAN_BLOCK>>>(out, offsets, n);
}
