// Parts of words that belong to different threads, and parts that do not. argv[1] chooses the kernel; the comment at a line's end names the
// problem that must be reported there. Prints the CUDA error.
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>

__global__ void negative(unsigned char* image, int width, int height) {  // rows of odd length: words belong to several warps
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) image[y * width + x] = 255 - image[y * width + x];
}
__global__ void behind_the_first(__half* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i + 1] = values[i + 1] + __float2half(1.0f);
}
__global__ void own_halves(__half* values) {
  __shared__ __half s[130];
  int t = threadIdx.x;
  s[t + 1] = values[t];
  __half v = s[t + 1];
  s[t + 1] = v + v;
  values[t] = s[t + 1];
}
__global__ void bytes_as_words(int* out) {
  __shared__ alignas(4) unsigned char s[256];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t < 64) out[t] = reinterpret_cast<int*>(s)[63 - t];
}
__global__ void bytes_as_words_too_early(int* out) {
  __shared__ alignas(4) unsigned char s[256];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 64) out[t] = reinterpret_cast<int*>(s)[63 - t];  // shared_race
}
__global__ void byte_of_another_block(unsigned char* bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i] = i;
  bytes[1024 + i] = bytes[(i + 200) % 512];  // global_race
}
__global__ void byte_of_another_lane(unsigned char* bytes) {
  int t = threadIdx.x;
  bytes[t] = t;
  bytes[1024 + t] = bytes[t ^ 1];  // missing_syncwarp
}
__global__ void word_as_bytes(int* words) {
  int t = threadIdx.x;
  words[t] = t;
  unsigned char first = reinterpret_cast<unsigned char*>(words)[(t * 4 + 400) % 1024];  // global_race
  words[256 + t] = first;
}
__global__ void same_bytes(unsigned char* seen, const int* keys) {  // many threads set one byte to the same value, neighbours to another
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x] % 16;
  seen[key] = static_cast<unsigned char>(key + 1);  // possible_global_race
}
__global__ void other_bytes(unsigned char* seen, const int* keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  seen[keys[i] % 16] = static_cast<unsigned char>(i % 7);  // global_race
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int host[512], *d, *keys;
  for (int i = 0; i < 512; i++) host[i] = i * 7 % 61;
  cudaMalloc(&d, 1 << 16);
  cudaMemset(d, 0, 1 << 16);
  cudaMalloc(&keys, sizeof host);
  cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
  auto* bytes = reinterpret_cast<unsigned char*>(d);
  auto* halves = reinterpret_cast<__half*>(d);
  if (is("negative")) negative<<<dim3(3, 3), dim3(16, 16)>>>(bytes, 37, 41);
  if (is("behind_the_first")) behind_the_first<<<4, 128>>>(halves, 500);
  if (is("own_halves")) own_halves<<<1, 128>>>(halves);
  if (is("bytes_as_words")) bytes_as_words<<<1, 256>>>(d);
  if (is("bytes_as_words_too_early")) bytes_as_words_too_early<<<1, 256>>>(d);
  if (is("byte_of_another_block")) byte_of_another_block<<<4, 128>>>(bytes);
  if (is("byte_of_another_lane")) byte_of_another_lane<<<1, 32>>>(bytes);
  if (is("word_as_bytes")) word_as_bytes<<<1, 256>>>(d);
  if (is("same_bytes")) same_bytes<<<4, 128>>>(bytes, keys);
  if (is("other_bytes")) other_bytes<<<4, 128>>>(bytes, keys);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
