// kernel=blur line=14 finding=KO107
#include <cstdio>

#define RADIUS 3

extern "C" __global__ void blur(float* out, const float* in, int n)
{
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < RADIUS || i >= n - RADIUS) return;

  float* dst = out + i;
  #pragma unroll
  for (int d = -RADIUS; d <= RADIUS; d++)
    *dst += in[i + d] / (2 * RADIUS + 1);
}

int main()
{
  const int n = 1000;
  float *in, *out;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  for (int i = 0; i < n; i++) { in[i] = 7; out[i] = 0; }
  for (int step = 0; step < 2; step++)
    blur<<<(n + 127) / 128, 128>>>(out, in, n);
  cudaDeviceSynchronize();
  for (int i = RADIUS; i < n - RADIUS; i++)
    if (out[i] < 13.99f || out[i] > 14.01f) { printf("FAIL %d %f\n", i, out[i]); return 1; }
  printf("PASS\n");
}
