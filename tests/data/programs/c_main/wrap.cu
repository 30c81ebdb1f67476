#include "wrap.h"
#include <cuda_runtime.h>
__global__ void square(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i];
}
extern "C" int run_job(struct job *job) {
  float *d;
  if (cudaMalloc(&d, job->n * sizeof(float)) != cudaSuccess) return 1;
  cudaMemcpy(d, job->data, job->n * sizeof(float), cudaMemcpyHostToDevice);
  square<<<(job->n + 127) / 128, 128>>>(d, job->n);
  cudaMemcpy(job->data, d, job->n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
  return cudaGetLastError() != cudaSuccess;
}
