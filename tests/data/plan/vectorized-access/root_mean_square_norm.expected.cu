// kernel=rmsnorm_kernel line=25 finding=KO118
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T>
__inline__ __device__ T warpReduceSum(T val) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) val += __shfl_xor_sync(0xffffffff, val, mask, 32);
  return val;
}

// y = x / rms(x) * weight, one block per token
__global__ void rmsnorm_kernel(float* __restrict__ out, const float* __restrict__ input, const float* __restrict__ weight,
                               float eps, int hidden_size) {
  __shared__ float s_warps[32];
  __shared__ float s_scale;
  const int lane = threadIdx.x & 0x1f;
  const int wid = threadIdx.x >> 5;
  const float* x = input + (size_t)blockIdx.x * hidden_size;
  float* y = out + (size_t)blockIdx.x * hidden_size;

  float variance = 0.0f;
  const bool aligned = (reinterpret_cast<size_t>(x) | reinterpret_cast<size_t>(weight) | reinterpret_cast<size_t>(y)) % 16 == 0;
  const int vector_end = aligned ? hidden_size - hidden_size % 4 : 0;
  for (int first = threadIdx.x * 4; first < vector_end; first += blockDim.x * 4) {
    alignas(16) float x4[4];
    *reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float v = x4[k];
      variance += v * v;
    }
  }
  for (int idx = vector_end + threadIdx.x; idx < hidden_size; idx += blockDim.x) {
    const float v = x[idx];
    variance += v * v;
  }
  variance = warpReduceSum(variance);
  if (lane == 0) s_warps[wid] = variance;
  __syncthreads();
  variance = (threadIdx.x < blockDim.x / 32) ? s_warps[lane] : 0.0f;
  if (wid == 0) variance = warpReduceSum(variance);
  if (threadIdx.x == 0) s_scale = rsqrtf(variance / hidden_size + eps);
  __syncthreads();

  for (int first = threadIdx.x * 4; first < vector_end; first += blockDim.x * 4) {
    alignas(16) float x4[4];
    *reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
    alignas(16) float weight4[4];
    *reinterpret_cast<float4 *>(weight4) = *reinterpret_cast<const float4 *>(weight + first);
    alignas(16) float y4[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k)
      y4[k] = x4[k] * s_scale * weight4[k];
    *reinterpret_cast<float4 *>(y + first) = *reinterpret_cast<float4 *>(y4);
  }
  for (int idx = vector_end + threadIdx.x; idx < hidden_size; idx += blockDim.x) {
    y[idx] = x[idx] * s_scale * weight[idx];
  }
}

int main(int argc, char** argv) {
  int tokens = argc > 1 ? atoi(argv[1]) : 37, hidden = argc > 2 ? atoi(argv[2]) : 1026;
  std::vector<float> x(tokens * hidden), w(hidden), y(tokens * hidden);
  for (size_t i = 0; i < x.size(); i++) x[i] = (float)((i * 7919) % 1000) / 250.0f - 2.0f;
  for (int i = 0; i < hidden; i++) w[i] = 1.0f + 0.001f * (i % 17);
  float *dx, *dw, *dy;
  cudaMalloc(&dx, x.size() * sizeof(float));
  cudaMalloc(&dw, w.size() * sizeof(float));
  cudaMalloc(&dy, y.size() * sizeof(float));
  cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dw, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice);
  rmsnorm_kernel<<<tokens, 256>>>(dy, dx, dw, 1e-5f, hidden);
  cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (size_t i = 0; i < y.size(); i++) s += y[i] * (i % 5);
  printf("checksum %.4f\n", s);
  cudaFree(dx); cudaFree(dw); cudaFree(dy);
  return 0;
}
