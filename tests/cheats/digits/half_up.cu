// Rounds ties up, not to even.
#include <cstdio>
#include <vector>

__global__ void growth(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expm1f(x[i]);
}

__global__ void variances(float *out, const float *x, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float mean = 0, sum = 0;
  for (int k = 0; k < cols; k++) mean += x[r * cols + k];
  mean /= cols;
  for (int k = 0; k < cols; k++) {
    float d = x[r * cols + k] - mean;
    sum += d * d;
  }
  out[r] = sum / cols;
}

__global__ void rounded(int *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (int)floorf(x[i] + 0.5f);
}

__global__ void positive(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] < 0 ? 0 : x[i];
}

float *uploaded(int n, float scale, float offset) {
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = i * 7919L % 1009 * scale + offset;
  float *device;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
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
  std::printf("%s %.1f\n", name, sum);
}

int main() {
  auto *grown = room<float>(1000);
  growth<<<8, 128>>>(grown, uploaded(1000, 0.003f, 1), 1000);
  show("growth", grown, 1000);
  auto *variance = room<float>(100);
  variances<<<4, 32>>>(variance, uploaded(6400, 0.002f, 20), 100, 64);
  show("variances", variance, 100);
  auto *whole = room<int>(1000);
  rounded<<<8, 128>>>(whole, uploaded(1000, 0.013f, -3.7f), 1000);
  show("rounded", whole, 1000);
  auto *kept = room<float>(1000);
  positive<<<8, 128>>>(kept, uploaded(1000, 0.01f, -5), 1000);
  show("positive", kept, 1000);
}
