/*
 * Filters a recording of many microphones: every channel goes through
 * two second-order sections (a high-pass, then a peak at the channel's own frequency).
 * Direct form II transposed, as in the DSP course.
 *
 *   ./biquad_bank channels samples
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(call)                                                     \
    do {                                                                \
        cudaError_t e = (call);                                         \
        if (e != cudaSuccess) {                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,          \
                    cudaGetErrorString(e));                             \
            exit(EXIT_FAILURE);                                         \
        }                                                               \
    } while (0)

#define SECTIONS 2

/* b0 b1 b2 a1 a2 of each section, channel after channel */
__global__ void biquadBank(float *out, float *in, float *coef, int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels)
        return;

    float s1[SECTIONS], s2[SECTIONS];
    for (int s = 0; s < SECTIONS; s++) {
        s1[s] = 0.0f;
        s2[s] = 0.0f;
    }

    for (int t = 0; t < samples; t++) {
        float v = in[ch * samples + t];
        for (int s = 0; s < SECTIONS; s++) {
            float *c = coef + (ch * SECTIONS + s) * 5;
            float y = c[0] * v + s1[s];
            s1[s] = c[1] * v - c[3] * y + s2[s];
            s2[s] = c[2] * v - c[4] * y;
            v = y;
        }
        out[ch * samples + t] = v;
    }
}

/* formulas of the audio cookbook */
static void highpass(float *c, double f, double q)
{
    double w = 2 * M_PI * f, al = sin(w) / (2 * q), a0 = 1 + al;
    c[0] = (float)((1 + cos(w)) / 2 / a0);
    c[1] = (float)(-(1 + cos(w)) / a0);
    c[2] = c[0];
    c[3] = (float)(-2 * cos(w) / a0);
    c[4] = (float)((1 - al) / a0);
}

static void peak(float *c, double f, double q, double gain)
{
    double w = 2 * M_PI * f, al = sin(w) / (2 * q), a0 = 1 + al / gain;
    c[0] = (float)((1 + al * gain) / a0);
    c[1] = (float)(-2 * cos(w) / a0);
    c[2] = (float)((1 - al * gain) / a0);
    c[3] = c[1];
    c[4] = (float)((1 - al / gain) / a0);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s channels samples\n", argv[0]);
        return 2;
    }
    int channels = atoi(argv[1]);
    int samples = atoi(argv[2]);
    size_t bytes = (size_t)channels * samples * sizeof(float);
    size_t cbytes = (size_t)channels * SECTIONS * 5 * sizeof(float);

    float *in = (float *)malloc(bytes);
    float *out = (float *)malloc(bytes);
    float *coef = (float *)malloc(cbytes);

    unsigned int seed = 1;
    for (size_t i = 0; i < (size_t)channels * samples; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (float)(seed >> 16) / 32768.0f - 1.0f;
    }
    for (int ch = 0; ch < channels; ch++) {
        highpass(coef + ch * SECTIONS * 5, 0.01, 0.7071);
        peak(coef + ch * SECTIONS * 5 + 5, 0.02 + 0.4 * ch / channels, 2.0, 1.4);
    }

    float *dIn, *dOut, *dCoef;
    CHECK(cudaMalloc((void **)&dIn, bytes));
    CHECK(cudaMalloc((void **)&dOut, bytes));
    CHECK(cudaMalloc((void **)&dCoef, cbytes));
    CHECK(cudaMemcpy(dIn, in, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dCoef, coef, cbytes, cudaMemcpyHostToDevice));

    int threads = 64;
    biquadBank<<<(channels + threads - 1) / threads, threads>>>(dOut, dIn, dCoef, channels, samples);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(out, dOut, bytes, cudaMemcpyDeviceToHost));

    double energy = 0;
    for (size_t i = 0; i < (size_t)channels * samples; i++)
        energy += (double)out[i] * out[i];
    printf("last sample of channel 0: %.5f\n", out[samples - 1]);
    printf("energy: %.4f\n", energy);

    CHECK(cudaFree(dIn));
    CHECK(cudaFree(dOut));
    CHECK(cudaFree(dCoef));
    free(in);
    free(out);
    free(coef);
    return 0;
}
