// Sample-rate conversion 192 kHz -> 48 kHz: low-pass FIR and decimation by 4, interleaved int16 input,
// planar float output.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define N_TAPS 97
#define DECIM 4

void gpu_check(cudaError_t rc, int line)
{
    if (rc != cudaSuccess) {
        fprintf(stderr, "gpu error line %d: %s\n", line, cudaGetErrorString(rc));
        exit(1);
    }
}
#define GC(x) gpu_check(x, __LINE__)

// y[ch][m] = sum_t taps[t] * x[m * DECIM - t][ch] / 32768; samples before the start are zero
__global__ void fir_decimate(const int16_t* x, const float* taps, float* y, int frames_in, int frames_out, int channels)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    int ch = blockIdx.y;
    if (m >= frames_out) return;
    float acc = 0.0f;
    for (int t = 0; t < N_TAPS; t++) {
        int n = m * DECIM - t;
        if (n >= 0 && n < frames_in)
            acc += taps[t] * ((float)x[(size_t)n * channels + ch] * (1.0f / 32768.0f));
    }
    y[(size_t)ch * frames_out + m] = acc;
}

__global__ void peak_per_channel(const float* y, float* peak, int frames_out)
{
    __shared__ float s[128];
    const float* p = y + (size_t)blockIdx.x * frames_out;
    float m = 0.0f;
    for (int i = threadIdx.x; i < frames_out; i += 128) m = fmaxf(m, fabsf(p[i]));
    s[threadIdx.x] = m;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) peak[blockIdx.x] = s[0];
}

int main()
{
    const int channels = 6, frames_in = 150001;
    const int frames_out = (frames_in + DECIM - 1) / DECIM;
    int16_t* x = (int16_t*)malloc((size_t)frames_in * channels * sizeof(int16_t));
    float* y = (float*)malloc((size_t)frames_out * channels * sizeof(float));
    float taps[N_TAPS], peak[16];

    double sum = 0;
    for (int t = 0; t < N_TAPS; t++) {   // windowed sinc
        double u = t - (N_TAPS - 1) / 2.0;
        double sinc = u == 0 ? 0.22 : sin(M_PI * 0.22 * u) / (M_PI * u);
        double win = 0.54 - 0.46 * cos(2 * M_PI * t / (N_TAPS - 1));
        taps[t] = (float)(sinc * win);
        sum += taps[t];
    }
    for (int t = 0; t < N_TAPS; t++) taps[t] = (float)(taps[t] / sum);
    uint32_t seed = 31337;
    for (int n = 0; n < frames_in; n++)
        for (int c = 0; c < channels; c++) {
            seed = seed * 69069u + 1u;
            int tri = (int)((n * (3 + c)) % 4000) - 2000;
            x[(size_t)n * channels + c] = (int16_t)(tri * 8 + (int)(seed >> 21) - 1024);
        }

    int16_t* dx;
    float *dt, *dy, *dp;
    GC(cudaMalloc(&dx, (size_t)frames_in * channels * sizeof(int16_t)));
    GC(cudaMalloc(&dt, sizeof(taps)));
    GC(cudaMalloc(&dy, (size_t)frames_out * channels * sizeof(float)));
    GC(cudaMalloc(&dp, channels * sizeof(float)));
    GC(cudaMemcpy(dx, x, (size_t)frames_in * channels * sizeof(int16_t), cudaMemcpyHostToDevice));
    GC(cudaMemcpy(dt, taps, sizeof(taps), cudaMemcpyHostToDevice));

    dim3 grid((frames_out + 127) / 128, channels);
    fir_decimate<<<grid, 128>>>(dx, dt, dy, frames_in, frames_out, channels);
    GC(cudaGetLastError());
    peak_per_channel<<<channels, 128>>>(dy, dp, frames_out);
    GC(cudaGetLastError());

    GC(cudaMemcpy(y, dy, (size_t)frames_out * channels * sizeof(float), cudaMemcpyDeviceToHost));
    GC(cudaMemcpy(peak, dp, channels * sizeof(float), cudaMemcpyDeviceToHost));
    for (int c = 0; c < channels; c++) {
        double e = 0;
        for (int m = 0; m < frames_out; m++) e += (double)y[(size_t)c * frames_out + m] * y[(size_t)c * frames_out + m];
        printf("ch %d rms %.6f peak %.6f\n", c, sqrt(e / frames_out), peak[c]);
    }
    cudaFree(dx); cudaFree(dt); cudaFree(dy); cudaFree(dp);
    free(x); free(y);
    return 0;
}
