// y = residual + gelu(x + bias), and its gradients; tanh approximation, float, row-major [rows, columns], columns % 4 == 0.
// dresidual is dy itself and is not written.
//
// dbias is summed in two stages without atomics, so it is the same in every run.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t status, const char* where) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(status));
  std::exit(1);
}

constexpr int kThreads = 256;
constexpr int kRowsPerChunk = 64;  // rows that one block of the backward pass sums
constexpr float kA = 0.7978845608f;
constexpr float kB = 0.044715f;

// tanh by one exponential; exact to a few ulp where it matters here
__device__ __forceinline__ float fast_tanh(float u) { return 1.0f - __fdividef(2.0f, __expf(2.0f * u) + 1.0f); }

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + fast_tanh(kA * v * (1.0f + kB * v * v))); }

__device__ __forceinline__ float gelu_slope(float v) {
  const float t = fast_tanh(kA * v * (1.0f + kB * v * v));
  return 0.5f * (1.0f + t) + 0.5f * v * (1.0f - t * t) * kA * (1.0f + 3.0f * kB * v * v);
}

__global__ void __launch_bounds__(kThreads)
forward(const float4* __restrict__ x, const float4* __restrict__ bias, const float4* __restrict__ residual, float4* __restrict__ y, int rows, int quads) {
  const int q = blockIdx.x * kThreads + threadIdx.x;
  if (q >= quads) return;
  const float4 b = bias[q];
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const size_t i = static_cast<size_t>(r) * quads + q;
    const float4 v = x[i], s = residual[i];
    y[i] = make_float4(s.x + gelu(v.x + b.x), s.y + gelu(v.y + b.y), s.z + gelu(v.z + b.z), s.w + gelu(v.w + b.w));
  }
}

__global__ void __launch_bounds__(kThreads)
backward(const float4* __restrict__ x, const float4* __restrict__ bias, const float4* __restrict__ dy, float4* __restrict__ dx, float4* __restrict__ partial,
         int rows, int quads) {
  const int q = blockIdx.x * kThreads + threadIdx.x;
  if (q >= quads) return;
  const float4 b = bias[q];
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const int first = blockIdx.y * kRowsPerChunk, last = min(first + kRowsPerChunk, rows);
#pragma unroll 4
  for (int r = first; r < last; ++r) {
    const size_t i = static_cast<size_t>(r) * quads + q;
    const float4 v = x[i], g = dy[i];
    const float4 d = make_float4(g.x * gelu_slope(v.x + b.x), g.y * gelu_slope(v.y + b.y), g.z * gelu_slope(v.z + b.z), g.w * gelu_slope(v.w + b.w));
    dx[i] = d;
    sum.x += d.x;
    sum.y += d.y;
    sum.z += d.z;
    sum.w += d.w;
  }
  partial[static_cast<size_t>(blockIdx.y) * quads + q] = sum;
}

// block 32 x 8: eight threads share a column of partial sums
__global__ void finish_dbias(const float* __restrict__ partial, float* __restrict__ dbias, int chunks, int columns) {
  __shared__ float part[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  if (c < columns)
    for (int k = threadIdx.y; k < chunks; k += 8) sum += partial[static_cast<size_t>(k) * columns + c];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < columns) {
    for (int k = 1; k < 8; ++k) sum += part[k][threadIdx.x];
    dbias[c] = sum;
  }
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 1024;
  if (rows < 1 || columns < 4 || columns % 4) {
    std::fprintf(stderr, "usage: %s ROWS COLUMNS (a multiple of 4)\n", argv[0]);
    return 1;
  }
  const size_t n = static_cast<size_t>(rows) * columns;
  const int quads = columns / 4, chunks = (rows + kRowsPerChunk - 1) / kRowsPerChunk;

  std::vector<float> x(n), residual(n), dy(n), bias(columns);
  for (size_t i = 0; i < n; ++i) {
    const unsigned int h = static_cast<unsigned int>(i) * 2654435769u;
    x[i] = static_cast<float>(h >> 20) / 512.0f - 4.0f;
    residual[i] = static_cast<float>(h >> 10 & 1023) / 512.0f - 1.0f;
    dy[i] = static_cast<float>(h & 1023) / 1024.0f - 0.25f;
  }
  for (int c = 0; c < columns; ++c) bias[c] = 0.01f * static_cast<float>(c % 31 - 15);

  float *dX, *dBias, *dResidual, *dY, *dDy, *dDx, *dPartial, *dDbias;
  const size_t bytes = n * sizeof(float);
  must(cudaMalloc(&dX, bytes), "x");
  must(cudaMalloc(&dResidual, bytes), "residual");
  must(cudaMalloc(&dY, bytes), "y");
  must(cudaMalloc(&dDy, bytes), "dy");
  must(cudaMalloc(&dDx, bytes), "dx");
  must(cudaMalloc(&dBias, columns * sizeof(float)), "bias");
  must(cudaMalloc(&dPartial, sizeof(float) * chunks * columns), "partial");
  must(cudaMalloc(&dDbias, columns * sizeof(float)), "dbias");
  must(cudaMemcpy(dX, x.data(), bytes, cudaMemcpyHostToDevice), "copy x");
  must(cudaMemcpy(dResidual, residual.data(), bytes, cudaMemcpyHostToDevice), "copy residual");
  must(cudaMemcpy(dDy, dy.data(), bytes, cudaMemcpyHostToDevice), "copy dy");
  must(cudaMemcpy(dBias, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice), "copy bias");

  const int across = (quads + kThreads - 1) / kThreads;
  forward<<<dim3(across, (rows + 7) / 8), kThreads>>>(reinterpret_cast<float4*>(dX), reinterpret_cast<float4*>(dBias), reinterpret_cast<float4*>(dResidual),
                                                      reinterpret_cast<float4*>(dY), rows, quads);
  must(cudaGetLastError(), "forward");
  backward<<<dim3(across, chunks), kThreads>>>(reinterpret_cast<float4*>(dX), reinterpret_cast<float4*>(dBias), reinterpret_cast<float4*>(dDy),
                                               reinterpret_cast<float4*>(dDx), reinterpret_cast<float4*>(dPartial), rows, quads);
  must(cudaGetLastError(), "backward");
  finish_dbias<<<(columns + 31) / 32, dim3(32, 8)>>>(dPartial, dDbias, chunks, columns);
  must(cudaGetLastError(), "finish_dbias");
  must(cudaDeviceSynchronize(), "kernels");

  std::vector<float> y(n), dx(n), dbias(columns);
  must(cudaMemcpy(y.data(), dY, bytes, cudaMemcpyDeviceToHost), "copy y");
  must(cudaMemcpy(dx.data(), dDx, bytes, cudaMemcpyDeviceToHost), "copy dx");
  must(cudaMemcpy(dbias.data(), dDbias, columns * sizeof(float), cudaMemcpyDeviceToHost), "copy dbias");
  double ySum = 0.0, dxSum = 0.0, dbiasSum = 0.0;
  for (size_t i = 0; i < n; ++i) {
    ySum += y[i];
    dxSum += dx[i];
  }
  for (int c = 0; c < columns; ++c) dbiasSum += dbias[c];
  std::printf("mean y %.5f, mean dx %.5f, mean dbias / rows %.5f\n", ySum / n, dxSum / n, dbiasSum / n);
  std::printf("y[0] %.4f, y[last] %.4f, dx[1] %.4f, dbias[2] %.3f\n", y[0], y[n - 1], dx[1], dbias[2]);

  for (float* p : {dX, dBias, dResidual, dY, dDy, dDx, dPartial, dDbias}) must(cudaFree(p), "free");
  return 0;
}
