// kernel=biquads line=16 finding=KO113
#include <stdio.h>
#define SECTIONS 2

/* b0 b1 b2 a1 a2 of each section, channel after channel */
__global__ void biquads(float *out, float *in, float *coef, int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels)
        return;
    float s1[SECTIONS] = {}, s2[SECTIONS] = {};
    float c0[SECTIONS], c1[SECTIONS], c2[SECTIONS], c3[SECTIONS], c4[SECTIONS];
    #pragma unroll
    for (int s = 0; s < SECTIONS; s++) {
        float *c = coef + (ch * SECTIONS + s) * 5;
        c0[s] = c[0];
        c1[s] = c[1];
        c2[s] = c[2];
        c3[s] = c[3];
        c4[s] = c[4];
    }
    for (int t = 0; t < samples; t++) {
        float v = in[t * channels + ch];
        #pragma unroll
        for (int s = 0; s < SECTIONS; s++) {
            float y = c0[s] * v + s1[s];
            s1[s] = c1[s] * v - c3[s] * y + s2[s];
            s2[s] = c2[s] * v - c4[s] * y;
            v = y;
        }
        out[t * channels + ch] = v;
    }
}

int main()
{
    float *out, *in, *coef;
    cudaMallocManaged(&out, 300 * 64 * sizeof(float));
    cudaMallocManaged(&in, 300 * 64 * sizeof(float));
    cudaMallocManaged(&coef, 300 * SECTIONS * 5 * sizeof(float));
    for (int i = 0; i < 300 * 64; i++)
        in[i] = (i * 37 % 101) / 50.0f - 1.0f;
    for (int i = 0; i < 300 * SECTIONS * 5; i++)
        coef[i] = (i * 13 % 29) / 90.0f;
    biquads<<<3, 128>>>(out, in, coef, 300, 64);
    cudaDeviceSynchronize();
    printf("%f\n", out[300 * 64 - 1]);
}
