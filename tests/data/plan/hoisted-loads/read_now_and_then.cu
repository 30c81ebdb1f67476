// kernel=fire line=11 finding=KO113
__global__ void fire(unsigned *spikes, const float *in, const float *threshold, const float *reset, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0.f;
    for (int t = 0; t < steps; ++t) {
        v += in[t * n + i];
        unsigned fired = 0;
        if (v > threshold[i]) {
            v = reset[i];
            fired = 1;
        }
        spikes[t * n + i] = fired;
    }
}

int main()
{
    unsigned *spikes;
    float *in, *threshold, *reset;
    cudaMalloc(&spikes, 4 * 1000 * 50);
    cudaMalloc(&in, 4 * 1000 * 50);
    cudaMalloc(&threshold, 4 * 1000);
    cudaMalloc(&reset, 4 * 1000);
    fire<<<8, 128>>>(spikes, in, threshold, reset, 1000, 50);
}
