// kernel=lowpass line=11 finding=KO120
#include <stdio.h>
#include <stdlib.h>

// one thread filters one channel; samples of all channels are interleaved
__global__ void lowpass(const float * __restrict__ in, float * __restrict__ out, int channels, int samples, float a)
{
  const int ch = threadIdx.x + blockIdx.x * blockDim.x;
  if (ch < channels) {
    out[ch] = in[ch];
    for (int t = 1; t < samples; ++t) out[t * channels + ch] = a * in[t * channels + ch] + (1.0f - a) * out[(t - 1) * channels + ch];
  }
}

int main(void)
{
  int channels = 64, samples = 200, n = channels * samples;
  float *h = (float *)malloc(n * sizeof(float)), *in, *out;
  for (int i = 0; i < n; i++) h[i] = (float)(i * 37 % 101) / 101.0f;
  cudaMalloc((void **)&in, n * sizeof(float));
  cudaMalloc((void **)&out, n * sizeof(float));
  cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
  lowpass<<<(channels + 31) / 32, 32>>>(in, out, channels, samples, 0.2f);
  cudaMemcpy(h, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  float last = 0;
  for (int i = n - channels; i < n; i++) last += h[i];
  printf("%f\n", last);
  cudaFree(in); cudaFree(out); free(h);
  return 0;
}
