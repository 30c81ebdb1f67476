// kernel=weighted line=11 finding=KO122
__global__ void weighted(const float *in, float *out)
{
    __shared__ float s[128];
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        sum = s[0];
        for (int k = 0; k < 128; k++)
            sum += s[k];
        out[blockIdx.x] = sum;
    }
}

void run(const float *in, float *out, int blocks) { weighted<<<blocks, 128>>>(in, out); }
