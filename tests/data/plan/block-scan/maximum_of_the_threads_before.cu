// kernel=before line=8 finding=KO119
__global__ void before(const int *in, int *out)
{
    __shared__ int a[64];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v;
        if (t >= d) v = max(a[t - d], a[t]);
        __syncthreads();
        if (t >= d) a[t] = v;
        __syncthreads();
    }
    out[t] = t > 0 ? a[t - 1] : -1;
}

void run(int *in, int *out) { before<<<1, 64>>>(in, out); }
