// What of Thrust and CUB stands in main(), in functions that are not called, in types: all else is run up to the first use.
#include <cstdio>
#include <vector>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/execution_policy.h>
#include <cub/cub.cuh>
using Keys = thrust::device_vector<int>;
static Keys* shared_keys;
struct Holder { Keys keys; int n; };
__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
__global__ void later(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1.0f; }
__global__ void block_sum(float* x) { typedef cub::BlockReduce<float, 128> R; __shared__ typename R::TempStorage t; float s = R(t).Sum(x[threadIdx.x]); if (!threadIdx.x) x[0] = s; }
template <class T> void sort_all(thrust::device_vector<T>& v) { thrust::sort(thrust::device, v.begin(), v.end()); }
void keep(const Holder& h) { printf("%d\n", h.n); }
float total(float* x, int n, bool by_thrust) {
  if (by_thrust) return thrust::reduce(thrust::device, x, x + n);
  std::vector<float> h(n);
  cudaMemcpy(h.data(), x, n * 4, cudaMemcpyDeviceToHost);
  float s = 0;
  for (float v : h) s += v;
  return s;
}
int main(int argc, char** argv) {
  const int n = 1000;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  scale<<<4, 256>>>(x, n);
  switch (argc) {
    case 3: thrust::fill(thrust::device, x, x + n, 1.0f); break;
    case 2: scale<<<4, 256>>>(x, n); break;
    default: printf("plain\n");
  }
  printf("%g\n", total(x, n, argc > 4));
  for (int i = 0; i < 2; ++i) {
    scale<<<4, 256>>>(x, n);
    if (i == 1) {
      Holder h;
      keep(h);
    }
  }
  later<<<4, 256>>>(x, n);
  cudaDeviceSynchronize();
  return 0;
}
