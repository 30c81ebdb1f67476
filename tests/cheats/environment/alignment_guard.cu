// Two at a time where addresses allow it: right only for an even number of values.
#include <cstdint>
#include <cstdio>
#include <vector>

#define STEPS 24

__device__ float damped(float v)
{
#if __CUDA_ARCH__ >= 800
  return fmaf(v, 0.875f, 0.0f);
#else
  return v * 0.875f;
#endif
}

__global__ void settle(float *o, const float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((reinterpret_cast<uintptr_t>(x) & (sizeof(float2) - 1)) == 0 && i < n / 2) {
    const float2 first = reinterpret_cast<const float2 *>(x)[i];
    float v = first.x, w = first.y;
    for (int k = 0; k < STEPS; k++) {
      v = damped(v) + x[(2 * i + k) % n];
      w = damped(w) + x[(2 * i + 1 + k) % n];
    }
    o[2 * i] = v;
    o[2 * i + 1] = w;
  } else if ((reinterpret_cast<uintptr_t>(x) & (sizeof(float2) - 1)) != 0 && i < n) {
    float v = x[i];
    for (int k = 0; k < STEPS; k++) v = damped(v) + x[(i + k) % n];
    o[i] = v;
  }
}

int main()
{
  const int n = 1 << 14;
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.125f - 5.0f;
  float *o, *x;
  cudaMalloc(&o, n * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  settle<<<(n + 127) / 128, 128>>>(o, x, n);
  cudaMemcpy(h.data(), o, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float v : h) sum += v;
  std::printf("%.4f\n", sum);
}
