// NV12 (video range, BT.709) to interleaved 8-bit RGBA, plus a luma histogram per frame for exposure statistics.
//
// One thread converts a 4x2 patch: two 32-bit loads of luma, one 32-bit load of two chroma pairs, two 128-bit stores.
// Coefficients are Q13 fixed point, which is exact to within half a code value for all inputs.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kShift = 13;
constexpr int kY = 9539;    // 255/219
constexpr int kRV = 14686;  // 1.7927
constexpr int kGU = 1747;   // 0.2132
constexpr int kGV = 4366;   // 0.5329
constexpr int kBU = 17304;  // 2.1124
constexpr int kBins = 256;
constexpr int kHistThreads = 256;

#define CUDA_OK(expr)                                                                  \
  do {                                                                                 \
    const cudaError_t status_ = (expr);                                                \
    if (status_ != cudaSuccess) {                                                      \
      std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(status_));     \
      std::exit(EXIT_FAILURE);                                                         \
    }                                                                                  \
  } while (0)

__device__ __forceinline__ uint32_t clamp8(int v) { return static_cast<uint32_t>(min(max(v, 0), 255)); }

__device__ __forceinline__ uint32_t pixel(int luma, int red, int green, int blue) {
  const int y = kY * (luma - 16) + (1 << (kShift - 1));
  return clamp8((y + red) >> kShift) | clamp8((y + green) >> kShift) << 8 | clamp8((y + blue) >> kShift) << 16 | 0xff000000u;
}

__global__ void __launch_bounds__(256) nv12_to_rgba(const uint8_t* __restrict__ nv12, uint8_t* __restrict__ rgba, int width, int height) {
  const int quad = blockIdx.x * blockDim.x + threadIdx.x;  // four columns
  const int pair = blockIdx.y * blockDim.y + threadIdx.y;  // two rows
  if (quad * 4 >= width || pair * 2 >= height) return;

  const size_t pixels = static_cast<size_t>(width) * height;
  const uint8_t* frame = nv12 + blockIdx.z * (pixels + pixels / 2);
  const size_t top = static_cast<size_t>(2 * pair) * width + 4 * quad;

  const uint32_t y0 = __ldg(reinterpret_cast<const uint32_t*>(frame + top));
  const uint32_t y1 = __ldg(reinterpret_cast<const uint32_t*>(frame + top + width));
  const uint32_t uv = __ldg(reinterpret_cast<const uint32_t*>(frame + pixels + static_cast<size_t>(pair) * width + 4 * quad));

  uint32_t upper[4], lower[4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int u = static_cast<int>(uv >> (16 * half) & 0xff) - 128;
    const int v = static_cast<int>(uv >> (16 * half + 8) & 0xff) - 128;
    const int red = kRV * v, green = -kGU * u - kGV * v, blue = kBU * u;
#pragma unroll
    for (int i = 2 * half; i < 2 * half + 2; ++i) {
      upper[i] = pixel(y0 >> (8 * i) & 0xff, red, green, blue);
      lower[i] = pixel(y1 >> (8 * i) & 0xff, red, green, blue);
    }
  }

  uint4* out = reinterpret_cast<uint4*>(rgba + (blockIdx.z * pixels + top) * 4);
  out[0] = make_uint4(upper[0], upper[1], upper[2], upper[3]);
  out[width / 4] = make_uint4(lower[0], lower[1], lower[2], lower[3]);
}

// gridDim.y = frames; each block keeps a histogram in shared memory and adds it to its frame's.
__global__ void __launch_bounds__(kHistThreads) luma_histogram(const uint8_t* __restrict__ nv12, unsigned int* __restrict__ histogram, int width, int height) {
  __shared__ unsigned int bins[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;
  __syncthreads();

  const size_t pixels = static_cast<size_t>(width) * height;
  const uint32_t* luma = reinterpret_cast<const uint32_t*>(nv12 + blockIdx.y * (pixels + pixels / 2));
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels / 4; i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    const uint32_t four = luma[i];
    atomicAdd(&bins[four & 0xff], 1u);
    atomicAdd(&bins[four >> 8 & 0xff], 1u);
    atomicAdd(&bins[four >> 16 & 0xff], 1u);
    atomicAdd(&bins[four >> 24], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)
    if (bins[i]) atomicAdd(&histogram[blockIdx.y * kBins + i], bins[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 1280;
  const int height = argc > 2 ? std::atoi(argv[2]) : 720;
  const int frames = argc > 3 ? std::atoi(argv[3]) : 8;
  if (width <= 0 || width % 8 || height <= 0 || height % 2 || frames <= 0) {
    std::fprintf(stderr, "usage: %s WIDTH HEIGHT FRAMES (width a multiple of 8, height even)\n", argv[0]);
    return EXIT_FAILURE;
  }

  const size_t pixels = static_cast<size_t>(width) * height, frame_bytes = pixels + pixels / 2;
  std::vector<uint8_t> video(frame_bytes * frames);
  for (int f = 0; f < frames; ++f) {
    uint8_t* frame = video.data() + f * frame_bytes;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) frame[static_cast<size_t>(y) * width + x] = static_cast<uint8_t>(16 + (x * 5 + y * 3 + f * 11 + (x * y >> 6)) % 220);
    for (int y = 0; y < height / 2; ++y)
      for (int x = 0; x < width / 2; ++x) {
        uint8_t* uv = frame + pixels + static_cast<size_t>(y) * width + 2 * x;
        uv[0] = static_cast<uint8_t>(16 + (x * 2 + f * 7 + y) % 225);
        uv[1] = static_cast<uint8_t>(16 + (y * 3 + f * 5 + (x >> 1)) % 225);
      }
  }

  uint8_t *d_video = nullptr, *d_rgba = nullptr;
  unsigned int* d_histogram = nullptr;
  CUDA_OK(cudaMalloc(&d_video, video.size()));
  CUDA_OK(cudaMalloc(&d_rgba, pixels * 4 * frames));
  CUDA_OK(cudaMalloc(&d_histogram, sizeof(unsigned int) * kBins * frames));
  CUDA_OK(cudaMemcpy(d_video, video.data(), video.size(), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(d_histogram, 0, sizeof(unsigned int) * kBins * frames));

  const dim3 block(32, 8);
  const dim3 grid((width / 4 + block.x - 1) / block.x, (height / 2 + block.y - 1) / block.y, frames);
  nv12_to_rgba<<<grid, block>>>(d_video, d_rgba, width, height);
  CUDA_OK(cudaGetLastError());
  const int per_frame = static_cast<int>(std::min<size_t>((pixels / 4 + kHistThreads * 16 - 1) / (kHistThreads * 16), 64));
  luma_histogram<<<dim3(per_frame, frames), kHistThreads>>>(d_video, d_histogram, width, height);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());

  std::vector<uint8_t> rgba(pixels * 4 * frames);
  std::vector<unsigned int> histogram(kBins * frames);
  CUDA_OK(cudaMemcpy(rgba.data(), d_rgba, rgba.size(), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(histogram.data(), d_histogram, sizeof(unsigned int) * histogram.size(), cudaMemcpyDeviceToHost));

  uint64_t sum[3] = {0, 0, 0};
  for (size_t i = 0; i < pixels * frames; ++i)
    for (int c = 0; c < 3; ++c) sum[c] += rgba[4 * i + c];
  std::printf("mean R %.3f G %.3f B %.3f\n", double(sum[0]) / (pixels * frames), double(sum[1]) / (pixels * frames), double(sum[2]) / (pixels * frames));
  for (int f = 0; f < frames; f += (frames + 2) / 3) {
    unsigned int seen = 0;
    int median = -1;
    while (seen * 2 < pixels) seen += histogram[f * kBins + ++median];
    const uint8_t* p = rgba.data() + (f * pixels + (height / 2) * static_cast<size_t>(width) + width / 3) * 4;
    std::printf("frame %d: median luma %d, sample pixel %d %d %d %d\n", f, median, p[0], p[1], p[2], p[3]);
  }

  CUDA_OK(cudaFree(d_video));
  CUDA_OK(cudaFree(d_rgba));
  CUDA_OK(cudaFree(d_histogram));
  return EXIT_SUCCESS;
}
