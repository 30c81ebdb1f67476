// A program with every kind of thing that a recording holds.
#include <cooperative_groups.h>

#include <cstdio>

__device__ int counter;
__constant__ float scale[4];
__managed__ int last_size;

struct View {
  float* data;
  int size;
};

__global__ void fill(float* a, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = v * i * scale[1];
  if (i == 0) {
    atomicAdd(&counter, 1);
    last_size = n;
  }
}
template <int K>
__global__ void add(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + K;
}
__global__ void through_pointers(View view, float** table) {
  int i = threadIdx.x;
  if (i < view.size) view.data[i] += table[1][i];
}
__global__ void arrival_order(int* out) {
  if (threadIdx.x == 0) out[atomicAdd(&counter, 1)] = blockIdx.x;
}
__global__ void after_all(int* out) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  grid.sync();
  out[i + 1024] = out[1023 - i];
}
__global__ void spill_over(float* a, int n) { a[n] = 1; }

int main() {
  const int n = 1000;
  float *a, *b, **table;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&table, 2 * sizeof(float*));
  float factors[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(scale, factors, sizeof factors);
  fill<<<4, 256>>>(a, n, 1.5f);
  add<7><<<4, 256>>>(a, b, n);
  float* pointers[2] = {a, b};
  cudaMemcpy(table, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  through_pointers<<<1, 256>>>(View{a, 100}, table);
  cudaDeviceSynchronize();
  static float result[n];
  cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 20; k++) add<1><<<4, 256>>>(b, b, n);
    int* order;
  cudaMalloc(&order, 4096);
  cudaMemset(order, 0, 4096);
  arrival_order<<<64, 32>>>(order);
  int* wide;
  cudaMalloc(&wide, 8192);
  void* arguments[] = {&wide};
  cudaLaunchCooperativeKernel((void*)after_all, dim3(4), dim3(256), arguments, 0, 0);
  spill_over<<<1, 1>>>(b, n);
  cudaMemcpy2D(a, 64, b, 128, 32, 5, cudaMemcpyDeviceToDevice);
  cudaStream_t other;
  cudaStreamCreate(&other);
  cudaMemset2DAsync(order, 256, 0, 16, 3, other);
  printf("%g %d\n", result[99], last_size);
}
