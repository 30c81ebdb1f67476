// Kernels whose threads work together: shared memory, shuffles, atomics, a template, dynamic shared memory.
#include <cstdio>
#include <vector>

constexpr int N = 2048, SIDE = 48, BINS = 16;

__global__ void block_sum(const float* x, float* sums, int n) {
  extern __shared__ float part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void warp_maximum(const int* x, int* result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int best = i < n ? x[i] : 0;
  for (int step = 16; step > 0; step /= 2) best = max(best, __shfl_down_sync(0xffffffffu, best, step));
  if (threadIdx.x % 32 == 0) atomicMax(result, best);
}

__global__ void histogram(const int* x, unsigned* bins, int n) {
  __shared__ unsigned own[BINS];
  if (threadIdx.x < BINS) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[x[i] % BINS], 1u);
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

template <int TILE>
__global__ void transpose(float* to, const float* from, int side) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < side && y < side) tile[threadIdx.y][threadIdx.x] = from[y * side + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  if (x < side && y < side) to[y * side + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void matmul(const float* a, const float* b, float* c, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  float sum = 0.0f;
  for (int k = 0; k < side; ++k) sum += a[y * side + k] * b[k * side + x];
  c[y * side + x] = sum;
}

__global__ void softmax(float* rows, int side) {
  float* row = rows + blockIdx.x * side;
  float top = -1e30f, sum = 0.0f;
  for (int i = 0; i < side; ++i) top = fmaxf(top, row[i]);
  for (int i = 0; i < side; ++i) sum += expf(row[i] - top);
  __syncthreads();
  for (int i = threadIdx.x; i < side; i += blockDim.x) row[i] = expf(row[i] - top) / sum;
}

int main() {
  std::vector<float> x(N), matrix(SIDE * SIDE);
  std::vector<int> keys(N);
  for (int i = 0; i < N; ++i) x[i] = 1.0f / (1 + i % 97), keys[i] = (i * 31) % 1009;
  for (int i = 0; i < SIDE * SIDE; ++i) matrix[i] = 0.01f * ((i * 17) % 101) - 0.5f;
  float *dx, *sums, *a, *b, *c;
  int *dkeys, *top;
  unsigned* bins;
  cudaMalloc(&dx, N * sizeof(float)), cudaMalloc(&sums, 16 * sizeof(float)), cudaMalloc(&dkeys, N * sizeof(int));
  cudaMalloc(&top, sizeof(int)), cudaMalloc(&bins, BINS * sizeof(unsigned));
  for (float** m : {&a, &b, &c}) cudaMalloc(m, SIDE * SIDE * sizeof(float));
  cudaMemset(sums, 0, 16 * sizeof(float)), cudaMemset(top, 0, sizeof(int)), cudaMemset(bins, 0, BINS * sizeof(unsigned));
  cudaMemset(b, 0, SIDE * SIDE * sizeof(float)), cudaMemset(c, 0, SIDE * SIDE * sizeof(float));
  cudaMemcpy(dx, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dkeys, keys.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(a, matrix.data(), SIDE * SIDE * sizeof(float), cudaMemcpyHostToDevice);
  block_sum<<<16, 128, 128 * sizeof(float)>>>(dx, sums, N);
  warp_maximum<<<16, 128>>>(dkeys, top, N);
  histogram<<<2, 128>>>(dkeys, bins, N);
  transpose<16><<<dim3(3, 3), dim3(16, 16)>>>(b, a, SIDE);
  matmul<<<dim3(3, 3), dim3(16, 16)>>>(a, b, c, SIDE);
  softmax<<<SIDE, 32>>>(c, SIDE);
  float sum;
  int best;
  unsigned count[BINS];
  cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost);
  cudaMemcpy(&best, top, sizeof best, cudaMemcpyDeviceToHost);
  cudaMemcpy(count, bins, sizeof count, cudaMemcpyDeviceToHost);
  cudaMemcpy2D(matrix.data(), 4 * sizeof(float), c, SIDE * sizeof(float), 4 * sizeof(float), 3, cudaMemcpyDeviceToHost);
  printf("%.5f %d %u %.6f %s\n", sum, best, count[3], matrix[5], cudaGetErrorString(cudaDeviceSynchronize()));
}
