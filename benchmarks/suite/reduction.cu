// Sum of an int array: grid-stride loads, warp shuffles, one atomic per block.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int block_size = 256;

inline void cuda_try(cudaError_t status, char const* expression)
{
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", expression, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define CUDA_TRY(x) cuda_try((x), #x)

__device__ int warp_sum(int value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void sum_kernel(int4 const* __restrict__ data, int count4, int* __restrict__ result)
{
  __shared__ int warp_totals[block_size / 32];

  int local = 0;
  for (int i = blockIdx.x * block_size + threadIdx.x; i < count4; i += gridDim.x * block_size) {
    int4 const v = data[i];
    local += v.x + v.y + v.z + v.w;
  }
  local = warp_sum(local);
  if (threadIdx.x % 32 == 0) warp_totals[threadIdx.x / 32] = local;
  __syncthreads();

  if (threadIdx.x < 32) {
    local = threadIdx.x < block_size / 32 ? warp_totals[threadIdx.x] : 0;
    local = warp_sum(local);
    if (threadIdx.x == 0) atomicAdd(result, local);
  }
}

int main(int argc, char** argv)
{
  int const n = argc > 1 ? std::atoi(argv[1]) : 131072;
  if (n % 4 != 0) {
    std::fprintf(stderr, "n must be a multiple of 4\n");
    return 1;
  }
  std::vector<int> data(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    data[i] = (i % 4096) * 31 % 19 - 9;
    expected += data[i];
  }

  int *d_data, *d_result;
  CUDA_TRY(cudaMalloc(&d_data, n * sizeof(int)));
  CUDA_TRY(cudaMalloc(&d_result, sizeof(int)));
  CUDA_TRY(cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMemset(d_result, 0, sizeof(int)));

  int multiprocessors = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  int blocks = (n / 4 + block_size - 1) / block_size;
  if (blocks > multiprocessors * 8) blocks = multiprocessors * 8;
  sum_kernel<<<blocks, block_size>>>(reinterpret_cast<int4 const*>(d_data), n / 4, d_result);
  CUDA_TRY(cudaGetLastError());

  int result = 0;
  CUDA_TRY(cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d, expected %d\n", result, expected);
  CUDA_TRY(cudaFree(d_data));
  CUDA_TRY(cudaFree(d_result));
  return result == expected ? 0 : 1;
}
