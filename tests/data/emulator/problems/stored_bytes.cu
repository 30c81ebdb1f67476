// Threads that store less than a word to one place: harmless only where all of them store the same.
#include <cstdio>
#include <cstring>

constexpr int THREADS = 64;

__global__ void same_byte(unsigned char* seen) {
  seen[threadIdx.x] = 1;  // possible_global_race
}

__global__ void same_bytes_side_by_side(unsigned char* seen) {
  seen[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);  // possible_global_race
}

__global__ void same_short(unsigned char* seen) {
  reinterpret_cast<short*>(seen)[threadIdx.x] = static_cast<short>(threadIdx.x * 300);  // possible_global_race
}

__global__ void other_byte(unsigned char* seen) {
  seen[threadIdx.x] = static_cast<unsigned char>(blockIdx.x);  // global_race
}

__global__ void other_upper_half(unsigned char* seen) {
  reinterpret_cast<short*>(seen)[threadIdx.x] = static_cast<short>(blockIdx.x * 256);  // global_race
}

__global__ void shared_same_byte(unsigned char* seen) {
  __shared__ unsigned char flags[4];
  flags[threadIdx.x % 4] = static_cast<unsigned char>(threadIdx.x % 4);  // possible_shared_race
  __syncthreads();
  if (blockIdx.x == 0) seen[threadIdx.x] = flags[threadIdx.x % 4];
}

__global__ void shared_other_byte(unsigned char* seen) {
  __shared__ unsigned char flags[4];
  flags[threadIdx.x % 4] = static_cast<unsigned char>(threadIdx.x);  // shared_race
  __syncthreads();
  if (blockIdx.x == 0) seen[threadIdx.x] = flags[threadIdx.x % 4];
}

int main(int, char** argv) {
  unsigned char* seen;
  cudaMalloc(&seen, THREADS * sizeof(short));
  auto is = [&](const char* name) { return !std::strcmp(argv[1], name); };
  if (is("same_byte")) same_byte<<<4, THREADS>>>(seen);
  if (is("same_bytes_side_by_side")) same_bytes_side_by_side<<<4, THREADS>>>(seen);
  if (is("same_short")) same_short<<<4, THREADS>>>(seen);
  if (is("other_byte")) other_byte<<<4, THREADS>>>(seen);
  if (is("other_upper_half")) other_upper_half<<<4, THREADS>>>(seen);
  if (is("shared_same_byte")) shared_same_byte<<<4, THREADS>>>(seen);
  if (is("shared_other_byte")) shared_other_byte<<<4, THREADS>>>(seen);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
