// kernel=racing line=8 finding=KO115
__global__ void racing(const int *in, int *out)
{
    __shared__ int a[256];
    int t = threadIdx.x;
    a[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t + s < 256) a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = a[0];
}

void run(int *in, int *out, int n) { racing<<<n / 256, 256>>>(in, out); }
