// kernel=prefix line=9 finding=KO119
__global__ void prefix(const int *in, int *out, int n)
{
    __shared__ int a[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= n) return;
    a[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[i] = a[t];
}

void run(int *in, int *out, int n) { prefix<<<(n + 63) / 64, 64>>>(in, out, n); }
