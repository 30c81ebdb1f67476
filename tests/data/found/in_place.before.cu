// First-order filter along time, one thread per channel (batch of independent channels).
//   y[t] = x[t] + a * x[t-1]
// main() runs it out of place (FIR) and then in place, where it acts as a recursive filter.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CUDA_ASSERT(e) do{ cudaError_t x=(e); if(x!=cudaSuccess){ fprintf(stderr,"%s:%d %s\n",__FILE__,__LINE__,cudaGetErrorString(x)); abort(); } }while(0)

// layout: sample-major, x[t * channels + ch]  (coalesced over channels)
__global__ void filter_rows(const float *x, float *y, float a, int samples, int channels)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    for (int t = 1; t < samples; ++t) {
        float cur  = x[t * channels + ch];
        float prev = x[(t - 1) * channels + ch];
        y[t * channels + ch] = cur + a * prev;
    }
}

__global__ void copy_first(const float *x, float *y, int channels)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch < channels) y[ch] = x[ch];
}

int main()
{
    const int samples = 120, channels = 1003, n = samples * channels;
    float *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = sinf(0.01f * i) + ((i % 17) - 8) * 0.05f;
    float *dx, *dy;
    CUDA_ASSERT(cudaMalloc(&dx, n * sizeof(float)));
    CUDA_ASSERT(cudaMalloc(&dy, n * sizeof(float)));
    CUDA_ASSERT(cudaMemcpy(dx, h, n * sizeof(float), cudaMemcpyHostToDevice));
    const int bs = 96, gs = (channels + bs - 1) / bs;
    copy_first<<<gs, bs>>>(dx, dy, channels);
    filter_rows<<<gs, bs>>>(dx, dy, 0.5f, samples, channels);       // pre-emphasis
    filter_rows<<<gs, bs>>>(dy, dy, 0.75f, samples, channels);      // in place: integrator
    CUDA_ASSERT(cudaDeviceSynchronize());
    CUDA_ASSERT(cudaMemcpy(h, dy, n * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0, q = 0;
    for (int i = 0; i < n; i++) { s += h[i]; q += (double)h[i] * h[i]; }
    printf("sum %.5f energy %.4f\n", s, q);
    cudaFree(dx); cudaFree(dy);
    delete[] h;
    return 0;
}
