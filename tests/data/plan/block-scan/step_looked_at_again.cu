// kernel=prefix line=9 finding=KO119
__global__ void prefix(const int *in, int *out)
{
    __shared__ int a[64];
    int t = threadIdx.x;
    int v = 0;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[t] = a[t] - v;
}

void run(int *in, int *out) { prefix<<<1, 64>>>(in, out); }
