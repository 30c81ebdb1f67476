// One defect per kernel that an optimising compiler removes with the access: argv[1] chooses it. The comment on a line names the problem
// that must be reported there.
#include <cstdio>
#include <cstring>

__device__ void put(int* p, int v) { *p = v; }

__global__ void forwarded(const int* x, int* y) {
  __shared__ int last;
  last = threadIdx.x;
  y[threadIdx.x] = last + x[threadIdx.x];  // shared_race
}
__global__ void forwarded_in_a_warp(const int* x, int* y) {
  __shared__ int last;
  last = threadIdx.x;
  y[threadIdx.x] = last + x[threadIdx.x];  // missing_syncwarp
}
__global__ void overwritten(const int* x, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t % 64] = x[t] + t;  // possible_shared_race
  s[t % 64] = 7;
  __syncthreads();
  y[t] = s[t % 64];
}
__global__ void never_read(const int* x, int* y) {
  __shared__ int s;
  s = threadIdx.x;  // shared_race
  y[threadIdx.x] = x[0];
}
__global__ void read_where_unused(const int* x, int* y) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  int other = s[127 - t];  // shared_race
  if (x[t] == 1) y[t] = other;  // nowhere
}
__global__ void through_pointers(const int* x, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x, *p = s + t % 64;
  put(p, t);
  y[t] = *p + x[t];  // shared_race
}
__global__ void never_written(const int* x, int* y) {
  __shared__ int s[64];
  y[threadIdx.x] = s[threadIdx.x % 64] + x[0];  // uninitialised_read
}
__global__ void global_forwarded(const int* x, int* y) {
  int t = threadIdx.x;
  y[t % 64] = t;
  y[128 + t] = y[t % 64] + x[t];  // global_race
}
__global__ void global_overwritten(const int* x, int* y) {
  int t = threadIdx.x;
  y[t % 64] = t;  // possible_global_race
  y[t % 64] = 5;
}
// Correct as they are: each thread meets only its own elements, or a barrier stands between.
__global__ void own_elements(const int* x, int* y) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = 0; i < 4; i++) s[t] += x[i];
  if (s[t] > 2) s[t] = 3;
  y[t] = s[t];
  y[t] += s[t];
}
__global__ void after_barriers(const int* x, int* y) {
  __shared__ int last;
  int t = threadIdx.x;
  if (t == 0) last = x[0];
  __syncthreads();
  y[t] = last;
  __syncthreads();
  if (t == 100) last = x[1];
  __syncthreads();
  y[t] += last;
}
__global__ void after_syncwarp(const int* x, int* y) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    int other = s[t ^ step];
    __syncwarp();
    s[t] += other;
    __syncwarp();
  }
  y[t] = s[t];
}
__global__ void guarded(const int* x, int* y) {  // a thread whose element is not there neither reads nor writes it
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 64) s[t] = x[t];
  __syncthreads();
  if (t < 64 && s[t] == 0) s[t] = 1;
  y[t] = t < 64 ? s[t] : 0;
}

int main(int, char** argv) {
  int *x, *y;
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
  cudaMemset(x, 0, 1024);
  cudaMemset(y, 0, 1024);
  int threads = strcmp(argv[1], "forwarded_in_a_warp") == 0 ? 32 : 128;
#define RUN(kernel) \
  if (strcmp(argv[1], #kernel) == 0) kernel<<<1, threads>>>(x, y);
  RUN(forwarded) RUN(forwarded_in_a_warp) RUN(overwritten) RUN(never_read)
  RUN(read_where_unused) RUN(through_pointers) RUN(never_written) RUN(global_forwarded)
  RUN(global_overwritten) RUN(own_elements) RUN(after_barriers) RUN(after_syncwarp)
  RUN(guarded)
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
