// kernel=leak line=9 finding=KO113
__global__ void leak(const float *in, float *out, float *rate, int frames, int n, int at)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = 0;
    auto retune = [&](float s) { rate[i] *= s; };
    for (int f = 0; f < frames; ++f) {
        a += rate[i] * (in[f * n + i] - a);
        if (f == at) retune(0.5f);
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
