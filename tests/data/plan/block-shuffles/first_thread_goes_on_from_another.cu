// kernel=above line=11 finding=KO122
__global__ void above(const float *in, float floor, float *out)
{
    __shared__ float s[128];
    float v = in[blockIdx.x * 128 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float top = floor;
        for (int k = 1; k < 128; k++)
            top = fmaxf(top, s[k]);
        out[blockIdx.x] = top;
    }
}

void run(const float *in, float floor, float *out, int blocks) { above<<<blocks, 128>>>(in, floor, out); }
