// 3-D max pooling of a (C, D, D, D) feature volume, window 3, stride 2, no padding.
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace pool {

constexpr int kWindow = 3;
constexpr int kStride = 2;

struct Shape {
  int channels, depth, height, width;
  __host__ __device__ int64_t size() const { return (int64_t)channels * depth * height * width; }
  __host__ __device__ int64_t index(int c, int z, int y, int x) const {
    return (((int64_t)c * depth + z) * height + y) * width + x;
  }
};

Shape pooled(const Shape& s) {
  auto out = [](int extent) { return (extent - kWindow) / kStride + 1; };
  return {s.channels, out(s.depth), out(s.height), out(s.width)};
}

__global__ void max_pool_3d(const float* __restrict__ input, float* __restrict__ output, Shape in, Shape out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int zc = blockIdx.z * blockDim.z + threadIdx.z;
  const int c = zc / out.depth;
  const int z = zc % out.depth;
  if (x >= out.width || y >= out.height || c >= out.channels) return;

  float best = -FLT_MAX;
  for (int dz = 0; dz < kWindow; ++dz)
    for (int dy = 0; dy < kWindow; ++dy)
      for (int dx = 0; dx < kWindow; ++dx) {
        float v = input[in.index(c, z * kStride + dz, y * kStride + dy, x * kStride + dx)];
        if (v > best) best = v;
      }
  output[out.index(c, z, y, x)] = best;
}

}  // namespace pool

static void cuda_check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

int main(int argc, char** argv) try {
  const int channels = argc > 1 ? std::stoi(argv[1]) : 2;
  const int side = argc > 2 ? std::stoi(argv[2]) : 20;
  const pool::Shape in{channels, side, side, side};
  const pool::Shape out = pool::pooled(in);

  std::vector<float> input(in.size());
  uint32_t state = 12345u;
  for (auto& v : input) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
  }

  float *d_in = nullptr, *d_out = nullptr;
  cuda_check(cudaMalloc(&d_in, in.size() * sizeof(float)), "malloc input");
  cuda_check(cudaMalloc(&d_out, out.size() * sizeof(float)), "malloc output");
  cuda_check(cudaMemcpy(d_in, input.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "copy in");

  dim3 block(8, 8, 4);
  dim3 grid((out.width + 7) / 8, (out.height + 7) / 8, (out.depth * channels + 3) / 4);
  pool::max_pool_3d<<<grid, block>>>(d_in, d_out, in, out);
  cuda_check(cudaGetLastError(), "launch");

  std::vector<float> output(out.size());
  cuda_check(cudaMemcpy(output.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy out");

  double sum = 0;
  for (float v : output) sum += v;
  std::printf("%d x %d x %d x %d, mean %.6f, last %.6f\n", out.channels, out.depth, out.height, out.width, sum / output.size(), output.back());

  cuda_check(cudaFree(d_in), "free");
  cuda_check(cudaFree(d_out), "free");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
