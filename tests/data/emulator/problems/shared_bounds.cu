// Accesses that leave shared arrays, and honest ones that only look like it.
#include <cstdio>
#include <cstring>

__global__ void past_end(const float* in, float* out) {
  __shared__ float halo[2];
  __shared__ float row[128];
  row[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 2) halo[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x + 1] + halo[threadIdx.x & 1];  // past_end
}

__global__ void before_start(const float* in, float* out) {
  __shared__ float a[32];
  __shared__ float b[32];
  a[threadIdx.x] = b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = b[(int)threadIdx.x - 1] + a[threadIdx.x];  // before_start
}

__global__ void elsewhere(const float* in, float* out) {
  __shared__ float t[32];
  t[threadIdx.x + 32] = in[threadIdx.x];  // elsewhere
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
}

template <int W>
__global__ void square(const float* in, float* out) {
  __shared__ float tile[W][W];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * W + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * W + threadIdx.x] = tile[threadIdx.x][threadIdx.y + 1];  // square
}

// The last whole step of 16 bytes goes 8 bytes too far.
__global__ void wide(float* out) {
  __shared__ __align__(16) float t[30];
  for (int i = threadIdx.x; i < 30; i += 32) t[i] = i;
  __syncthreads();
  if (threadIdx.x < 8) reinterpret_cast<float4*>(out)[threadIdx.x] = reinterpret_cast<float4*>(t)[threadIdx.x];  // wide
}

__global__ void far_from_dynamic(float* out) {
  extern __shared__ float dynamic[];
  __shared__ float fixed[64];
  for (int i = threadIdx.x; i < 4096; i += 32) {
    if (i < 64) dynamic[i] = i;
    if (i % 64 < 60) fixed[i % 64] = i;
  }
  __syncthreads();
  out[threadIdx.x] = fixed[threadIdx.x + 1000] + dynamic[threadIdx.x];  // far_from_dynamic
}

namespace lib {
struct Part { double value; int key; };
__device__ double first_of_warp(double v) {
  __shared__ Part parts[4];
  if (threadIdx.x % 32 == 0) { parts[threadIdx.x / 32].value = v; parts[threadIdx.x / 32].key = threadIdx.x; }
  __syncthreads();
  return parts[threadIdx.x / 32].value + parts[threadIdx.x / 32].key;
}
}  // namespace lib

__shared__ int of_the_file[128];

__global__ void honest(const float* in, float* out) {
  extern __shared__ float dynamic[];
  __shared__ union { float f[128]; double d[64]; char c[512]; } same;
  __shared__ float4 wide_array[32];
  __shared__ char odd[33];
  float* flat = reinterpret_cast<float*>(wide_array);
  dynamic[threadIdx.x] = in[threadIdx.x];
  flat[threadIdx.x] = 1;
  same.f[threadIdx.x] = 2;
  of_the_file[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 33) odd[threadIdx.x] = 3;
  __syncthreads();
  float* one_of_two = threadIdx.x & 1 ? same.f : flat;
  double chosen = one_of_two[threadIdx.x] + same.d[threadIdx.x / 2] * 0 + odd[threadIdx.x % 33] + of_the_file[127 - threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 4; i++) same.c[threadIdx.x * 4 + i] = 0;
  out[threadIdx.x] = chosen + lib::first_of_warp(dynamic[threadIdx.x]);
}

int main(int count, char** arguments) {
  const char* which = count > 1 ? arguments[1] : "";
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  if (!strcmp(which, "past_end")) past_end<<<1, 128>>>(in, out);
  if (!strcmp(which, "before_start")) before_start<<<1, 32>>>(in, out);
  if (!strcmp(which, "elsewhere")) elsewhere<<<1, 32>>>(in, out);
  if (!strcmp(which, "square")) square<8><<<1, dim3(8, 8)>>>(in, out);
  if (!strcmp(which, "wide")) wide<<<1, 32>>>(out);
  if (!strcmp(which, "far_from_dynamic")) far_from_dynamic<<<1, 32, 256>>>(out);
  if (!strcmp(which, "honest")) honest<<<1, 128, 512>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
