// kernel=some line=9 finding=KO115
__global__ void some(const float *in, float *out)
{
    __shared__ float a[128];
    int t = threadIdx.x;
    float mine = in[blockIdx.x * 128 + t];
    a[t] = mine;
    __syncthreads();
    for (int s = 1; s < 128; s *= 2) {
        int k = 2 * s * t;
        if (k < 128) a[k] = mine = mine + a[k + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int blocks) { some<<<blocks, 128>>>(in, out); }
