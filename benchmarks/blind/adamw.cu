// Fused AdamW step over one flat parameter buffer: one pass, 128-bit accesses, state in fp32.
//
//   adamw <n>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(expr)                                                                        \
  do {                                                                                          \
    const cudaError_t _status = (expr);                                                         \
    if (_status != cudaSuccess) {                                                               \
      std::fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #expr, cudaGetErrorString(_status)); \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (0)

struct Hyper {
  float beta1, beta2, eps;
  float one_minus_beta1, one_minus_beta2;
  float step_size;      // lr / (1 - beta1^t)
  float rsqrt_bias2;    // 1 / sqrt(1 - beta2^t)
  float keep;           // 1 - lr * weight_decay
};

__device__ __forceinline__ void adamw_one(float& p, float g, float& m, float& v, const Hyper& h) {
  m = fmaf(h.beta1, m, h.one_minus_beta1 * g);
  v = fmaf(h.beta2, v, h.one_minus_beta2 * g * g);
  const float denom = fmaf(sqrtf(v), h.rsqrt_bias2, h.eps);
  p = fmaf(p, h.keep, -h.step_size * __fdividef(m, denom));
}

__global__ void __launch_bounds__(256)
adamw_step(float* __restrict__ p, const float* __restrict__ g, float* __restrict__ m, float* __restrict__ v, int64_t n, Hyper h) {
  const int64_t tid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t n4 = n / 4;
  if (tid < n4) {
    float4 p4 = reinterpret_cast<float4*>(p)[tid];
    const float4 g4 = __ldg(reinterpret_cast<const float4*>(g) + tid);
    float4 m4 = reinterpret_cast<float4*>(m)[tid];
    float4 v4 = reinterpret_cast<float4*>(v)[tid];
    adamw_one(p4.x, g4.x, m4.x, v4.x, h);
    adamw_one(p4.y, g4.y, m4.y, v4.y, h);
    adamw_one(p4.z, g4.z, m4.z, v4.z, h);
    adamw_one(p4.w, g4.w, m4.w, v4.w, h);
    reinterpret_cast<float4*>(p)[tid] = p4;
    reinterpret_cast<float4*>(m)[tid] = m4;
    reinterpret_cast<float4*>(v)[tid] = v4;
  } else if (tid < n4 + n % 4) {
    const int64_t i = 4 * n4 + (tid - n4);  // up to three leftovers
    adamw_one(p[i], g[i], m[i], v[i], h);
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s n\n", argv[0]);
    return EXIT_FAILURE;
  }
  const int64_t n = std::atoll(argv[1]);
  const size_t bytes = n * sizeof(float);

  std::vector<float> host(n);
  float *p, *g, *m, *v;
  CUDA_CHECK(cudaMalloc(&p, bytes));
  CUDA_CHECK(cudaMalloc(&g, bytes));
  CUDA_CHECK(cudaMalloc(&m, bytes));
  CUDA_CHECK(cudaMalloc(&v, bytes));

  for (int64_t i = 0; i < n; ++i) host[i] = 0.001f * (float)((i * 37) % 2003 - 1001);
  CUDA_CHECK(cudaMemcpy(p, host.data(), bytes, cudaMemcpyHostToDevice));
  for (int64_t i = 0; i < n; ++i) host[i] = 0.0001f * (float)((i * 53) % 997 - 498);
  CUDA_CHECK(cudaMemcpy(g, host.data(), bytes, cudaMemcpyHostToDevice));
  for (int64_t i = 0; i < n; ++i) host[i] = 0.0001f * (float)((i * 29) % 499 - 249);
  CUDA_CHECK(cudaMemcpy(m, host.data(), bytes, cudaMemcpyHostToDevice));
  for (int64_t i = 0; i < n; ++i) host[i] = 0.000001f * (float)((i * 11) % 307 + 1);
  CUDA_CHECK(cudaMemcpy(v, host.data(), bytes, cudaMemcpyHostToDevice));

  // state as after a hundred steps
  const float lr = 1e-3f, decay = 0.01f, bias1 = 0.99997344f, bias2 = 0.09520785f;
  Hyper h;
  h.beta1 = 0.9f;
  h.beta2 = 0.999f;
  h.eps = 1e-8f;
  h.one_minus_beta1 = 0.1f;
  h.one_minus_beta2 = 0.001f;
  h.step_size = lr / bias1;
  h.rsqrt_bias2 = 1.0f / sqrtf(bias2);
  h.keep = 1.0f - lr * decay;

  const int block = 256;
  const int64_t threads = n / 4 + n % 4;
  const int grid = (int)std::max<int64_t>(1, (threads + block - 1) / block);
  adamw_step<<<grid, block>>>(p, g, m, v, n, h);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(host.data(), p, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += host[i] * (double)(i % 7);
  std::printf("p[0] %.7f  p[n-1] %.7f  weighted sum %.5f\n", host[0], host[n - 1], sum);

  CUDA_CHECK(cudaFree(p));
  CUDA_CHECK(cudaFree(g));
  CUDA_CHECK(cudaFree(m));
  CUDA_CHECK(cudaFree(v));
  return EXIT_SUCCESS;
}
