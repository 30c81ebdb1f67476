// Lanes of one warp that store to one place in one instruction: harmless only where all of them store the same.
#include <cstdio>
#include <cstring>

constexpr int THREADS = 64;

__global__ void two_a_place(float* out) {
  out[threadIdx.x / 2] = 0.5f * threadIdx.x;  // global_race
}

__global__ void two_wide(double2* out) {
  out[threadIdx.x / 2] = make_double2(1.0, threadIdx.x);  // global_race
}

__device__ int last;
__global__ void a_variable(float* out) {
  if (threadIdx.x % 4 == 1 && threadIdx.x < 32) last = threadIdx.x;  // global_race
}

__global__ void a_flag(float* out) {
  if (threadIdx.x < 32) out[0] = 1.0f;
}

__global__ void same_pairs(float* out) {
  for (int i = 0; i < 700; ++i) out[threadIdx.x / 2] = static_cast<float>(threadIdx.x / 2 + i);
}

__global__ void own_places(float* out) {
  for (int i = 0; i < 700; ++i) out[THREADS - 1 - threadIdx.x] = static_cast<float>(threadIdx.x + i);
}

__global__ void in_turn(float* out) {
  for (unsigned i = 0; i < 32; ++i) {
    if (threadIdx.x == i) out[0] = static_cast<float>(i);
    __syncwarp();
  }
}

__global__ void whole_structs(float* out) {
  struct Three { float x, y, z; };
  reinterpret_cast<Three*>(out)[0] = Three{1.0f, 2.0f, 3.0f};
}

int main(int, char** argv) {
  float* out;
  cudaMalloc(&out, THREADS * sizeof(double2));
  auto is = [&](const char* name) { return !std::strcmp(argv[1], name); };
  if (is("two_a_place")) two_a_place<<<1, THREADS>>>(out);
  if (is("two_wide")) two_wide<<<1, THREADS>>>(reinterpret_cast<double2*>(out));
  if (is("a_variable")) a_variable<<<1, THREADS>>>(out);
  if (is("a_flag")) a_flag<<<1, THREADS>>>(out);
  if (is("same_pairs")) same_pairs<<<1, THREADS>>>(out);
  if (is("own_places")) own_places<<<1, THREADS>>>(out);
  if (is("in_turn")) in_turn<<<1, THREADS>>>(out);
  if (is("whole_structs")) whole_structs<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
