// kernel=some line=8 finding=KO115
__global__ void some(const float *in, float *out)
{
    __shared__ float a[4];
    int t = threadIdx.x;
    float value = in[blockIdx.x * 128 + t];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (t % 32 == 0)
        a[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < 4; warp++)
            value += a[warp];
        a[0] = value;
    }
    __syncthreads();
    if (t == 0 && a[0] > 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int blocks) { some<<<blocks, 128>>>(in, out); }
