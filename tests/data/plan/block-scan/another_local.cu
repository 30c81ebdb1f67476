// kernel=prefix line=11 finding=KO119
__global__ void prefix(const int *in, int *out)
{
    __shared__ int a[64];
    int t = threadIdx.x;
    int x = in[t];
    int last = x;
    a[t] = x;
    __syncthreads();
    #pragma unroll
    for (int d = 1; d < 64; d <<= 1) {
        if (t >= d) last = a[t - d];
        else last = 0;
        __syncthreads();
        x += last;
        a[t] = x;
        __syncthreads();
    }
    out[t] = last;
}

void run(int *in, int *out) { prefix<<<1, 64>>>(in, out); }
