// kernel=scan_blocks line=10 finding=KO119
__global__ void scan_blocks(const long long *in, long long *out, long long *totals, int n)
{
    __shared__ long long temp[2][64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    long long value = i < n ? in[i] : 0;
    int src = 0;
    temp[0][t] = value;
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int dst = 1 - src;
        if (t >= d)
            temp[dst][t] = temp[src][t] + temp[src][t - d];
        else
            temp[dst][t] = temp[src][t];
        src = dst;
        __syncthreads();
    }
    if (i < n)
        out[i] = temp[src][t] - value;
    if (t == 63)
        totals[blockIdx.x] = temp[src][t];
}

void run(const long long *in, long long *out, long long *totals, int n) { scan_blocks<<<(n + 63) / 64, 64>>>(in, out, totals, n); }
