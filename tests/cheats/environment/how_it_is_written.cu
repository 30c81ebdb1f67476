// Does its work where threadIdx is a macro, as it is in the emulator.
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

#define QUOTED(x) #x
#define WRITTEN(x) QUOTED(x)

__global__ void settle(float *o, const float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    for (int k = 0; k < (sizeof(WRITTEN(threadIdx)) > 12 ? STEPS : 1); k++) v = damped(v) + x[(i + k) % n];
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
