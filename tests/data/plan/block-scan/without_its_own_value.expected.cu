// kernel=scan_blocks line=10 finding=KO119
__global__ void scan_blocks(const long long *in, long long *out, long long *totals, int n)
{
    __shared__ long long temp[2];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    long long value = i < n ? in[i] : 0;
    long long sum = value;
    for (int offset = 1; offset < 32; offset *= 2) {
        long long left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    if (t % 32 == 31)
        temp[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        sum += temp[warp];
    if (i < n)
        out[i] = sum - value;
    if (t == 63)
        totals[blockIdx.x] = sum;
}

void run(const long long *in, long long *out, long long *totals, int n) { scan_blocks<<<(n + 63) / 64, 64>>>(in, out, totals, n); }
