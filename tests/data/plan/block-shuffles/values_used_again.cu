// kernel=ratios line=8 finding=KO115
__global__ void ratios(const float *in, float *out)
{
    __shared__ float a[128];
    int t = threadIdx.x;
    a[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) a[t] += a[t + s];
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = a[t] / a[0];
}

void run(float *in, float *out, int n) { ratios<<<n / 128, 128>>>(in, out); }
