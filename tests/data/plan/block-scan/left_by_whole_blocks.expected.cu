// kernel=prefix line=11 finding=KO119
__global__ void prefix(const int *in, int *out, int rows)
{
    __shared__ int a[2];
    const int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= rows)
        return;
    int t = threadIdx.x, i = row * 64 + t;
    int sum = in[i];
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    if (t % 32 == 31)
        a[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        sum += a[warp];
    out[i] = sum;
}

void run(int *in, int *out, int rows) { prefix<<<dim3(64, (rows + 63) / 64), 64>>>(in, out, rows); }
