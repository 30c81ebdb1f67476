#include <cstdio>
#include <vector>
#define N 2048
__global__ void relax(float *u, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = u[i];
  for (int r = 0; r < rounds; r++) v = v * 0.9995f + 0.0001f * r;
  u[i] = v;
}
__global__ void sum2(const float *u, const float *w, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = u[i] + 2.0f * w[i];
}
int main() {
  std::vector<float> h(N);
  for (int i = 0; i < N; i++) h[i] = float(i * 29 % 83) / 83;
  float *u, *w, *out, *scratch;
  cudaMalloc(&u, N * 4); cudaMalloc(&w, N * 4); cudaMalloc(&out, N * 4); cudaMalloc(&scratch, N * 4);
  cudaMemcpy(u, h.data(), N * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(w, h.data(), N * 4, cudaMemcpyHostToDevice);
  cudaStream_t left, right;
  cudaStreamCreate(&left);
  cudaStreamCreate(&right);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  relax<<<N / 256, 256, 0, left>>>(u, 300);
  relax<<<N / 256, 256, 0, right>>>(w, 500);
  cudaEventRecord(ready, right);
  cudaStreamWaitEvent(left, ready, 0);
  sum2<<<N / 256, 256, 0, left>>>(u, w, out);
  cudaStreamSynchronize(left);
  cudaMemcpy(h.data(), out, N * 4, cudaMemcpyDeviceToHost);
  double s = 0;
  for (float v : h) s += v;
  std::printf("%.3f\n", s);
}
