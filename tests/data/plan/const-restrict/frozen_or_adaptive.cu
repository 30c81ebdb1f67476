// kernel=adapt line=8 finding=KO113
#include <cstdio>
#include <cstdlib>
__global__ void adapt(const float *x, const float *weight, float *updated, int steps, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    for (int t = 0; t < steps; ++t) updated[c] = weight[c] * 0.9f + x[t * channels + c] * weight[c];
}

int main(int argc, char **argv)
{
    const int channels = 128, steps = 60;
    const bool adapts = argc > 1 && atoi(argv[1]);
    float *x, *weight, *scratch, h[128];
    cudaMalloc(&x, steps * channels * sizeof(float));
    cudaMalloc(&weight, channels * sizeof(float));
    cudaMalloc(&scratch, channels * sizeof(float));
    for (int i = 0; i < channels; i++) h[i] = i * 0.01f;
    cudaMemcpy(weight, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(x, 0, steps * channels * sizeof(float));
    adapt<<<channels / 64, 64>>>(x, weight, adapts ? weight : scratch, steps, channels);
    cudaMemcpy(h, adapts ? weight : scratch, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%f\n", h[7]);
}
