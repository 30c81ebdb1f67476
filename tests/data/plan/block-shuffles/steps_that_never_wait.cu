// kernel=sums line=7 finding=KO115
__global__ void sums(const float *in, float *out)
{
    __shared__ float a[128];
    int t = threadIdx.x;
    a[t] = in[blockIdx.x * 128 + t];
    for (int s = 1; s < 128; s *= 2) {
        if (t % (2 * s) == 0) a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int n) { sums<<<n / 128, 128>>>(in, out); }
