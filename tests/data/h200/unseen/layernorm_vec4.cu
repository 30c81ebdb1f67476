// LayerNorm forward, float4 loads, Welford-free two pass, one block per token.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

namespace ln {

template <typename T, int kThreads>
__device__ T block_sum(T v)
{
  __shared__ T partial[kThreads / 32];
  __shared__ T total;
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    T t = partial[0];
    for (int w = 1; w < kThreads / 32; ++w) t += partial[w];
    total = t;
  }
  __syncthreads();
  return total;
}

template <int kThreads>
__global__ void forward(const float4* __restrict__ x, const float4* __restrict__ gamma,
                        const float4* __restrict__ beta, float4* __restrict__ y,
                        float* mean_out, float* rstd_out, int hidden4, float eps)
{
  const float4* row = x + static_cast<size_t>(blockIdx.x) * hidden4;
  float4* dst = y + static_cast<size_t>(blockIdx.x) * hidden4;
  const float inv_n = 1.f / (hidden4 * 4);

  float sum = 0.f;
  for (int c = threadIdx.x; c < hidden4; c += kThreads) {
    const float4 v = row[c];
    sum += v.x + v.y + v.z + v.w;
  }
  const float mean = block_sum<float, kThreads>(sum) * inv_n;

  float sq = 0.f;
  for (int c = threadIdx.x; c < hidden4; c += kThreads) {
    float4 v = row[c];
    v.x -= mean; v.y -= mean; v.z -= mean; v.w -= mean;
    sq += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  const float rstd = rsqrtf(block_sum<float, kThreads>(sq) * inv_n + eps);

  if (threadIdx.x == 0) {
    mean_out[blockIdx.x] = mean;
    rstd_out[blockIdx.x] = rstd;
  }
  for (int c = threadIdx.x; c < hidden4; c += kThreads) {
    const float4 v = row[c], g = gamma[c], b = beta[c];
    dst[c] = make_float4((v.x - mean) * rstd * g.x + b.x, (v.y - mean) * rstd * g.y + b.y,
                         (v.z - mean) * rstd * g.z + b.z, (v.w - mean) * rstd * g.w + b.w);
  }
}

}  // namespace ln

int main()
{
  const int tokens = 96, hidden = 768;
  std::vector<float> x(tokens * hidden), g(hidden), b(hidden), y(tokens * hidden), mu(tokens);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * (i % 5000)) + (i / hidden) * 0.01f;
  for (int i = 0; i < hidden; ++i) { g[i] = 1.f + 0.001f * i; b[i] = 0.5f - 0.002f * i; }
  float *dx, *dg, *db, *dy, *ds;
  cudaMalloc(&dx, x.size() * 4); cudaMalloc(&dy, x.size() * 4);
  cudaMalloc(&dg, hidden * 4); cudaMalloc(&db, hidden * 4); cudaMalloc(&ds, 2 * tokens * 4);
  cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dg, g.data(), hidden * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), hidden * 4, cudaMemcpyHostToDevice);
  ln::forward<128><<<tokens, 128>>>((float4*)dx, (float4*)dg, (float4*)db, (float4*)dy, ds, ds + tokens, hidden / 4, 1e-5f);
  cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(mu.data(), ds, tokens * 4, cudaMemcpyDeviceToHost);
  bool ok = cudaGetLastError() == cudaSuccess;
  for (int t = 0; t < tokens; ++t) {
    double m = 0, v = 0;
    for (int i = 0; i < hidden; ++i) m += x[t * hidden + i];
    m /= hidden;
    for (int i = 0; i < hidden; ++i) v += (x[t * hidden + i] - m) * (x[t * hidden + i] - m);
    double rs = 1.0 / std::sqrt(v / hidden + 1e-5);
    if (std::fabs(mu[t] - m) > 1e-4) ok = false;
    for (int i = 0; i < hidden; ++i)
      if (std::fabs((x[t * hidden + i] - m) * rs * g[i] + b[i] - y[t * hidden + i]) > 1e-3) ok = false;
  }
  std::printf("layernorm_vec4 %s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
