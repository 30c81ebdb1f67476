// kernel=to_level line=11 finding=KO101
#include <cmath>
#include <cstdio>

// every channel has a row of samples of its own
__global__ void to_level(const float *power, float *level, int channels, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    for (int s = 0; s < samples; s++)
        level[(short)channel * samples + s] = 10.0f * log10f(power[samples * channel + s]);
}
