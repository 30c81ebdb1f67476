// kernel=bank line=12 finding=KO101
#include <cstdio>
#define SECTIONS 2

__global__ void bank(float *out, const float *in, const float *coef, int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels)
        return;

    float s[SECTIONS] = {0.0f, 0.0f};
    for (int t = 0; t < samples; t++) {
        float v = in[ch * samples + t];
        for (int k = 0; k < SECTIONS; k++) {
            const float *c = coef + (ch * SECTIONS + k) * 2;
            s[k] = c[0] * v + c[1] * s[k];
            v = v - s[k];
        }
        out[ch * samples + t] = v;
    }
}

int main()
{
    const int channels = 150, samples = 75;
    float *in, *out, *coef;
    cudaMallocManaged(&in, channels * samples * sizeof(float));
    cudaMallocManaged(&out, channels * samples * sizeof(float));
    cudaMallocManaged(&coef, channels * SECTIONS * 2 * sizeof(float));
    for (int i = 0; i < channels * samples; i++) in[i] = (i * 37 % 101) * 0.02f - 1.0f;
    for (int i = 0; i < channels * SECTIONS * 2; i++) coef[i] = 0.1f + (i % 7) * 0.05f;
    bank<<<(channels + 63) / 64, 64>>>(out, in, coef, channels, samples);
    cudaDeviceSynchronize();
    double energy = 0;
    for (int i = 0; i < channels * samples; i++) energy += out[i] * out[i] * (i % 5 + 1);
    printf("%.4f\n", energy);
    return 0;
}
