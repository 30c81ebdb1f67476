// Element-wise kernels: in place, vectorized, gathered, with a struct that holds a pointer.
#include <cstdio>
#include <vector>

constexpr int N = 1000;

struct Scaled {
  const float* data;
  float factor;
};

__global__ void axpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void copy4(float4* to, const float4* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void gather(int* to, const int* from, const unsigned* place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[place[i]];
}

__global__ void add_scaled(double* y, Scaled x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x.factor * x.data[i];
}

int main() {
  std::vector<float> x(N), y(N);
  std::vector<double> z(N);
  std::vector<int> whole(N);
  std::vector<unsigned> place(N);
  for (int i = 0; i < N; ++i) {
    x[i] = 0.5f * i, y[i] = 1.0f / (i + 1), z[i] = i;
    whole[i] = 3 * i, place[i] = (i * 7u) % N;
  }
  float *dx, *dy;
  double* dz;
  int *from, *to;
  unsigned* dplace;
  cudaMalloc(&dx, N * sizeof(float)), cudaMalloc(&dy, N * sizeof(float)), cudaMalloc(&dz, N * sizeof(double));
  cudaMalloc(&from, N * sizeof(int)), cudaMalloc(&to, N * sizeof(int)), cudaMalloc(&dplace, N * sizeof(unsigned));
  cudaMemset(to, 0, N * sizeof(int));
  cudaMemcpy(dx, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dz, z.data(), N * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(from, whole.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dplace, place.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice);
  axpy<<<(N + 127) / 128, 128>>>(dy, dx, 2.0f, N);
  copy4<<<1, 256>>>(reinterpret_cast<float4*>(dx), reinterpret_cast<float4*>(dy), N / 4);
  gather<<<4, 256>>>(to, from, dplace, N);
  add_scaled<<<(N + 63) / 64, 64>>>(dz, Scaled{dy, 0.25f}, N);
  cudaMemcpy(whole.data(), to, N * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(z.data(), dz, N * sizeof(double), cudaMemcpyDeviceToHost);
  printf("%d %.6f %s\n", whole[11], z[10], cudaGetErrorString(cudaDeviceSynchronize()));
}
