// Honest: two sums, still of 64 bits.
#include <climits>
#include <cstdio>
#include <vector>

__global__ void energy(long long *out, const short *samples, int frames, int length) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= frames) return;
  const short *frame = samples + f * length;
  long long even = 0, odd = 0;
  int k = 0;
  for (; k + 1 < length; k += 2) {
    even += frame[k] * frame[k];
    odd += frame[k + 1] * frame[k + 1];
  }
  if (k < length) even += frame[k] * frame[k];
  out[f] = even + odd;
}

__global__ void cells(int *cell, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cell[i] = x[i] / 16;
}

__global__ void peaks(int *peak, const int *x, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int most = INT_MIN;
  for (int k = 0; k < cols; k++) most = max(most, x[r * cols + k]);
  peak[r] = most;
}

__global__ void brighten(unsigned char *out, const unsigned char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i] * 3 / 2;
  out[i] = value > 255 ? 255 : value;
}

template <class T>
T *uploaded(int n, int most) {
  std::vector<T> host(n);
  for (int i = 0; i < n; i++) host[i] = i * 7919L % most;
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
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += (long long)host[i] * (i % 7 + 1);
  std::printf("%s %lld\n", name, sum);
}

int main() {
  auto *loudness = room<long long>(100);
  energy<<<4, 32>>>(loudness, uploaded<short>(6400, 500), 100, 64);
  show("energy", loudness, 100);
  auto *cell = room<int>(1000);
  cells<<<8, 128>>>(cell, uploaded<int>(1000, 640), 1000);
  show("cells", cell, 1000);
  auto *peak = room<int>(100);
  peaks<<<4, 32>>>(peak, uploaded<int>(3200, 1009), 100, 32);
  show("peaks", peak, 100);
  auto *image = room<unsigned char>(1000);
  brighten<<<8, 128>>>(image, uploaded<unsigned char>(1000, 101), 1000);
  show("image", image, 1000);
}
