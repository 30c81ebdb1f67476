// kernel=prefix line=8 finding=KO119
__global__ void prefix(const int *in, int *out)
{
    __shared__ int a[32];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 32; d <<= 1) {
        int v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[t] = a[t];
}

void run(int *in, int *out) { prefix<<<1, 32>>>(in, out); }
