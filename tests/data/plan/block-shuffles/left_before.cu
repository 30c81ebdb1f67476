// kernel=some line=9 finding=KO115
__global__ void some(const float *in, float *out, int n)
{
    __shared__ float a[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i >= n) return;
    a[t] = in[i];
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int n) { some<<<(n + 127) / 128, 128>>>(in, out, n); }
