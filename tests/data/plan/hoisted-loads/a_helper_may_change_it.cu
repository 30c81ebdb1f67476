// kernel=leak line=10 finding=KO113
__device__ void halve(float *m, int i) { m[i] *= 0.5f; }

__global__ void leak(const float *in, float *out, float *rate, int frames, int n, int at)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = 0;
    for (int f = 0; f < frames; ++f) {
        a += rate[i] * (in[f * n + i] - a);
        if (f == at) halve(rate, i);
        out[f * n + i] = a;
    }
}

int main()
{
    float *in, *out, *rate;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMalloc(&rate, 128);
    leak<<<1, 32>>>(in, out, rate, 32, 32, 100000);
}
