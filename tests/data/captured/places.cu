// Memory beside plain allocations: device variables, pointers inside buffers, managed and page-locked memory, a pool.
#include <cstdio>

__constant__ float weights[4];
__device__ int visits;
static __device__ int hidden = 7;
namespace deep {
__device__ double inner = 0.5;
}
__managed__ int shared_with_host = 3;

constexpr int N = 64;

__global__ void weigh(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= weights[i % 4];
  if (i == 0) visits += 1, hidden *= 2, deep::inner += 0.25, shared_with_host += 1;
}

__global__ void follow(float** rows, int row_count, int n) {
  for (int r = 0; r < row_count; ++r)
    if (threadIdx.x < n) rows[r][threadIdx.x] += r + 1;
}

__global__ void increment(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] += 1;
}

int main() {
  float host[N], given[4] = {1, 2, 4, 8};
  for (int i = 0; i < N; ++i) host[i] = i;
  float *x, *y, *table[2], **rows;
  cudaMalloc(&x, sizeof host), cudaMalloc(&y, sizeof host), cudaMalloc(&rows, sizeof table);
  table[0] = x, table[1] = y;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice), cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(rows, table, sizeof table, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, given, sizeof given);
  weigh<<<2, 32>>>(x, N);
  follow<<<1, N>>>(rows, 2, N);
  int *managed, *pinned, *pooled;
  cudaMallocManaged(&managed, N * sizeof(int)), cudaMallocHost(&pinned, N * sizeof(int)), cudaMallocAsync(&pooled, N * sizeof(int), 0);
  cudaMemsetAsync(pooled, 0, N * sizeof(int), 0);
  cudaDeviceSynchronize();
  for (int i = 0; i < N; ++i) managed[i] = i, pinned[i] = 2 * i;
  increment<<<1, N>>>(managed, N);
  increment<<<1, N>>>(pinned, N);
  increment<<<1, N>>>(pooled, N);
  int count = 0;
  double inner = 0;
  cudaMemcpyFromSymbol(&count, visits, sizeof count), cudaMemcpyFromSymbol(&inner, deep::inner, sizeof inner);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDefault);
  cudaDeviceSynchronize();
  printf("%d %.2f %d %d %d %.1f %s\n", count, inner, shared_with_host, managed[5], pinned[5], host[3], cudaGetErrorString(cudaGetLastError()));
}
