#include <torch/types.h>
#include <cuda_runtime.h>
#include "common.cuh"

namespace fasthist {
__global__ void hist_kernel(const int* __restrict__ v, int* __restrict__ bins, int n, int nbins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  GRID_STRIDE(i, n) atomicAdd(&local[v[i] % nbins], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
}

torch::Tensor histogram_cuda(const torch::Tensor& v, int64_t nbins) {
  auto bins = torch::zeros({nbins}, v.options());
  fasthist::hist_kernel<<<64, 256, nbins * sizeof(int)>>>(v.data_ptr<int>(), bins.data_ptr<int>(), v.numel(), nbins);
  return bins;
}
