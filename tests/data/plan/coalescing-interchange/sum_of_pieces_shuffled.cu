// kernel=energy line=12 finding=KO101
#include <cstdio>
#include <cstdint>

// Energy of a signal: every thread takes its part of the samples.
__global__ void energy(const float* __restrict__ samples, double* __restrict__ out, size_t count)
{
  const size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const size_t per_thread = (count + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
  const size_t from = tid * per_thread, to = min(from + per_thread, count);
  double sum = 0.0;
  for (size_t k = from; k < to; ++k) sum += (double)samples[k] * samples[k];
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

int main()
{
  const size_t count = 70001;
  float* samples;
  double* out;
  cudaMallocManaged(&samples, count * sizeof(float));
  cudaMallocManaged(&out, sizeof(double));
  for (size_t i = 0; i < count; ++i) samples[i] = (i % 13) * 0.25f - 1.5f;
  *out = 0;
  energy<<<8, 192>>>(samples, out, count);
  cudaDeviceSynchronize();
  printf("%.3f\n", *out);
  return 0;
}
