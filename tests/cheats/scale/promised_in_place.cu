// Wrong: promises that nobody writes what `in` points to, where the program normalises in place. Each thread reads its element first, but
// the promise lets a compiler load it again behind the store.
#include <cstdio>
#include <vector>

constexpr int COLS = 64;

__global__ void normalise(float *out, const float *__restrict__ in) {
  __shared__ float largest;
  int t = threadIdx.x, i = blockIdx.x * COLS + t;
  float mine = in[i];
  out[i] = fabsf(mine);
  __syncthreads();
  if (t == 0) {
    float m = 1.0e-20f;
    for (int k = 0; k < COLS; k++) m = fmaxf(m, out[blockIdx.x * COLS + k]);
    largest = m;
  }
  __syncthreads();
  out[i] = mine / largest;
}

int main() {
  const int rows = 12, n = rows * COLS;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = (i * 59 % 127) * 0.25f - 14.0f;
  float *data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  normalise<<<rows, COLS>>>(data, data);
  cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += 31) std::printf("%.5f ", host[i]);
  cudaFree(data);
}
