// kernel=prefix line=8 finding=KO119
__global__ void prefix(const float *in, float *out)
{
    __shared__ float a[64];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[t] = a[t];
}

void run(float *in, float *out) { prefix<<<1, 64>>>(in, out); }
