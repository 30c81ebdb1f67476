// kernel=some line=14 finding=KO115
__global__ void some(const float *in, float *out, int n)
{
    __shared__ float a[128], b[128];
    int t = threadIdx.x;
    if (t < n) {
        a[t] = in[t];
        b[t] = a[t] * a[t];
    } else {
        a[t] = 0;
        b[t] = 0;
    }
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) { a[t] += a[t + s]; b[t] += b[t + s]; }
        __syncthreads();
    }
    if (t == 0) { out[0] = a[0]; out[1] = b[0]; }
}

void run(float *in, float *out, int n) { some<<<1, 128>>>(in, out, n); }
