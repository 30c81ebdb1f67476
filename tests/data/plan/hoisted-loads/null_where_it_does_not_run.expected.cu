// kernel=leak line=9 finding=KO113
// Some launches have no frames and no rates.
__global__ void leak(const float *in, float *__restrict__ out, const float *rate, int frames, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = 0;
    float rate_i = frames > 0 ? rate[i] : 0.0f;
    for (int f = 0; f < frames; ++f) {
        a += rate_i * (in[f * n + i] - a);
        out[f * n + i] = a;
    }
}

int main(int argc, char **argv)
{
    float *in, *out, *rate;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMalloc(&rate, 128);
    if (argc > 1) leak<<<1, 32>>>(in, out, nullptr, 0, 32);
    leak<<<1, 32>>>(in, out, rate, 32, 32);
}
