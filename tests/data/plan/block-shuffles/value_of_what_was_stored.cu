// kernel=damped line=10 finding=KO115
__global__ void damped(const float *in, float *out, int n)
{
    __shared__ float a[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    a[t] = in[i];
    if (i >= n / 2)
        a[t] = a[t] * 0.5f;
    __syncthreads();
    for (int s = 1; s < 128; s *= 2) {
        if (t % (2 * s) == 0) a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = a[0];
}

void run(float *in, float *out, int n) { damped<<<n / 128, 128>>>(in, out, n); }
