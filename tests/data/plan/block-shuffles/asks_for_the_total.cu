// kernel=some line=8 finding=KO115
__global__ void some(const float *in, float *out)
{
    __shared__ float a[128];
    int t = threadIdx.x;
    a[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0 && a[0] > 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int blocks) { some<<<blocks, 128>>>(in, out); }
