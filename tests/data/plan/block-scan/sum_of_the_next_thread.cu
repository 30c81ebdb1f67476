// kernel=gaps line=8 finding=KO119
__global__ void gaps(const int *in, int *out)
{
    __shared__ int a[64];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    if (t + 1 < 64) out[t] = a[t + 1];
}

void run(int *in, int *out) { gaps<<<1, 64>>>(in, out); }
