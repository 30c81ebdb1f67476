// kernel=softmax line=12 finding=KO101
#include <cmath>
#include <cstdio>
#include <vector>
#define THREADS 128

__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int N, int C) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= N) return;
  const float* row = in + n * C;
  float m = -INFINITY;
  for (int c = 0; c < C; ++c) m = fmaxf(m, row[c]);
  float denom = 0.f;
  for (int c = 0; c < C; ++c) {
    float e = expf(row[c] - m);
    out[n * C + c] = e;
    denom += e;
  }
  float inv = 1.f / denom;
  for (int c = 0; c < C; ++c) out[n * C + c] *= inv;
}

int main(int argc, char** argv) {
  int N = 200, C = 75;
  std::vector<float> h(N * C), r(N * C);
  for (int i = 0; i < N * C; ++i) h[i] = sinf(i * 0.37f) * 3;
  float *d_in, *d_out;
  cudaMalloc(&d_in, N * C * sizeof(float));
  cudaMalloc(&d_out, N * C * sizeof(float));
  cudaMemcpy(d_in, h.data(), N * C * sizeof(float), cudaMemcpyHostToDevice);
  int blocks = (N + THREADS - 1) / THREADS;
  softmax<<<blocks, THREADS>>>(d_in, d_out, N, C);
  cudaMemcpy(r.data(), d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < N * C; ++i) s += r[i] * (i % 7);
  printf("%.5f\n", s);
}
