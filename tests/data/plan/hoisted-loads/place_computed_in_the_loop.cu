// kernel=decay line=8 finding=KO113
__global__ void decay(float *out, const float *rate, const short *level, int n, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int t = 0; t < steps; ++t) {
            int pair = i / 2;
            const float *r = &rate[pair * 2];
            out[t * n + i] = level[t * n + i] * r[i % 2] + rate[pair];
        }
}

int main()
{
    float *out, *rate;
    short *level;
    cudaMalloc(&out, 4 * 1000 * 50);
    cudaMalloc(&rate, 4 * 1000);
    cudaMalloc(&level, 2 * 1000 * 50);
    decay<<<3, 128>>>(out, rate, level, 1000, 50);
}
