// kernel=to_decibel line=11 finding=KO101
#include <cmath>
#include <cstdio>

// every channel has a row of samples of its own
__global__ void to_decibel(const float *power, float *level, int channels, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    for (int s = 0; s < samples; s++)
        level[(size_t)s * channels + channel] = 10.0f * log10f(power[s * static_cast<size_t>(channels) + channel]);
}

int main()
{
    const int channels = 200, samples = 64;
    float *power, *level;
    cudaMallocManaged(&power, channels * samples * sizeof(float));
    cudaMallocManaged(&level, channels * samples * sizeof(float));
    for (int i = 0; i < channels * samples; i++) power[i] = 1.0f + i % 97;
    to_decibel<<<(channels + 127) / 128, 128>>>(power, level, channels, samples);
    cudaDeviceSynchronize();
    for (int i = 0; i < channels * samples; i++)
        if (fabsf(level[i] - 10.0f * log10f(power[i])) > 1e-4f) return printf("FAIL %d\n", i), 1;
    return puts("PASS"), 0;
}
