// kernel=some line=9 finding=KO115
__global__ void some(const float *in, float *out)
{
    __shared__ float a[128];
    int t = threadIdx.x;
    double mine = in[blockIdx.x * 128 + t];
    a[t] = mine;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) a[t] = mine = mine + a[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = mine;
}

void run(float *in, float *out, int blocks) { some<<<blocks, 128>>>(in, out); }
