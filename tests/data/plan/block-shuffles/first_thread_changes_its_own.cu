// kernel=halved line=11 finding=KO122
__global__ void halved(const float *in, float *out)
{
    __shared__ float s[128];
    float v = in[blockIdx.x * 128 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v *= 0.5f;
        for (int k = 1; k < 128; k++)
            v = fmaxf(v, s[k]);
        out[blockIdx.x] = v;
    }
}

void run(const float *in, float *out, int blocks) { halved<<<blocks, 128>>>(in, out); }
