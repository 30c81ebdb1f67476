// kernel=moments line=14 finding=KO111
#include <cstdio>

typedef float real;

// first and second moments of each feature of a batch
__global__ void moments(const real* batch, real* first, real* second, int samples, int features)
{
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f < features)
  {
    real s = 0;
    real q = 0;
    const int share = (samples + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(samples, begin + share);
    for (int i = begin; i < end; i++)
    {
      real v = batch[i * features + f];
      s += v;
      q += v * v;
    }
    atomicAdd(&first[f], s / samples);
    atomicAdd(&second[f], q / samples);
  }
}

static void run(const real* batch, real* first, real* second, int samples, int features, cudaStream_t stream)
{
  dim3 grid((features + 127) / 128, 32);
  cudaMemsetAsync(first, 0, features * sizeof(real), stream);
  cudaMemsetAsync(second, 0, features * sizeof(real), stream);
  moments<<<grid, 128, 0, stream>>>(batch, first, second, samples, features);
}

int main()
{
  int samples = 500, features = 96;
  real *batch, *first, *second;
  cudaMalloc(&batch, sizeof(real) * samples * features);
  cudaMalloc(&first, sizeof(real) * features);
  cudaMalloc(&second, sizeof(real) * features);
  real* host = new real[samples * features];
  for (int i = 0; i < samples * features; i++) host[i] = (i % 29) / 29.0f;
  cudaMemcpy(batch, host, sizeof(real) * samples * features, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  run(batch, first, second, samples, features, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, second, sizeof(real) * features, cudaMemcpyDeviceToHost);
  real total = 0;
  for (int f = 0; f < features; f++) total += host[f];
  printf("%.4f\n", total);
  return 0;
}
