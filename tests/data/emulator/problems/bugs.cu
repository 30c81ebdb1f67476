// One defect per kernel; argv[1] chooses it. The comment on a line names the problem that must be reported there.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>
#include <cstring>

#include <unistd.h>

__global__ void shared_race(int* out) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[255 - threadIdx.x];  // shared_race
}
__global__ void missing_syncwarp(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[31 - threadIdx.x];  // missing_syncwarp
}
__global__ void global_race(int* out) {
  out[threadIdx.x] = blockIdx.x;  // global_race
}
__global__ void out_of_bounds(int* a) {
  a[threadIdx.x + 1] = 1;  // out_of_bounds
}
__global__ void use_after_free(int* a) {
  a[threadIdx.x] = 1;  // use_after_free
}
__global__ void uninitialised_shared(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];  // uninitialised_read
}
__global__ void uninitialised_global(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // uninitialised_read
}
__global__ void barrier_divergence(int* out) {
  if (threadIdx.x < 16)
    __syncthreads();  // barrier_divergence
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void barrier_after_exit(int* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void guarded_body(int* out) {
  if (threadIdx.x < 40) {
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] += 1;
  }
}
__global__ void skipped_barrier(int* out) {
  if (threadIdx.x < 40)
    __syncthreads();  // barrier_divergence
  out[threadIdx.x] = 1;
}
__global__ void uneven_loop(int* out) {
  for (int i = threadIdx.x; i < 100; i += 64)
    __syncthreads();  // barrier_divergence
  out[threadIdx.x] = 1;
}
__global__ void bad_warp_mask(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);  // bad_warp_mask
  __syncthreads();
}
__global__ void host_pointer(int* a) {
  a[threadIdx.x] = 1;  // host_pointer
}
__global__ void wild_pointer(int* a) {
  a[(long long)(threadIdx.x + 1) << 40] = 1;  // wild_pointer
}
__global__ void misaligned(char* a) {
  *(int*)(a + 1) = 1;  // misaligned
}
__global__ void assertion(int* a) {
  assert(threadIdx.x != 7);  // assertion
  a[threadIdx.x] = 1;
}
__device__ int descend_for_recursion(volatile int* a, int depth) {
  int below = a[depth % 32] + depth;  // stack_overflow
  return below ? descend_for_recursion(a, depth + 1) * below : 1;
}
__global__ void recursion(int* a) {
  a[32] = descend_for_recursion(a, threadIdx.x + 1);
}
__global__ void endless(volatile int* a) {
  while (*a == 0) {}  // timeout
}
__global__ void endless_fence(int* a) {
  for (;;) {
    __threadfence();  // timeout
  }
}
__global__ void dynamic_overflow(int* out) {
  extern __shared__ int d[];
  d[threadIdx.x] = 1;  // out_of_bounds
  out[threadIdx.x] = d[threadIdx.x];
}
__global__ void flag(int* found) {  // many threads write the same value, into shared and global memory
  __shared__ int s;
  if (threadIdx.x % 40 == 0) s = 7;
  __syncthreads();
  if (threadIdx.x == 3) found[0] = s;
}
__global__ void clean(int* out) {
  __shared__ int s[256];
  for (int r = 0; r < 3; r++) {
    s[threadIdx.x] = r;
    __syncthreads();
    int v = s[255 - threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = v;
  }
}
__global__ void lock_step(int* out) {  // volatile shared memory without barriers, as written before warps could diverge
  volatile __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = 1;
  s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 16];
  s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 8];
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void grid_phases(int* p, int n) {
  auto grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 3; k++) {
    int v = p[(i + 1) % n];
    grid.sync();
    p[i] = v + 1;
    grid.sync();
  }
}
__global__ void spin_lock(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int *d, *u;
  cudaMalloc(&d, 1 << 16);
  cudaMemset(d, 0, 1 << 16);
  cudaMalloc(&u, 128);
  int host[256] = {};
  if (is("shared_race")) shared_race<<<1, 256>>>(d);
  if (is("missing_syncwarp")) missing_syncwarp<<<1, 32>>>(d);
  if (is("global_race")) global_race<<<4, 256>>>(d);
  if (is("out_of_bounds")) out_of_bounds<<<1, 32>>>(u);
  if (is("use_after_free")) cudaFree(u), use_after_free<<<1, 32>>>(u);
  if (is("uninitialised_shared")) uninitialised_shared<<<1, 64>>>(d);
  if (is("uninitialised_global")) uninitialised_global<<<1, 32>>>(u, d);
  if (is("barrier_divergence")) barrier_divergence<<<1, 32>>>(d);
  if (is("barrier_after_exit")) barrier_after_exit<<<1, 64>>>(d);
  if (is("guarded_body")) guarded_body<<<1, 64>>>(d);
  if (is("skipped_barrier")) skipped_barrier<<<1, 64>>>(d);
  if (is("uneven_loop")) uneven_loop<<<1, 64>>>(d);
  if (is("bad_warp_mask")) bad_warp_mask<<<1, 32>>>(d);
  if (is("host_pointer")) host_pointer<<<1, 32>>>(host);
  if (is("wild_pointer")) wild_pointer<<<1, 32>>>(d);
  if (is("misaligned")) misaligned<<<1, 1>>>((char*)d);
  if (is("assertion")) assertion<<<1, 32>>>(d);
  if (is("recursion")) cudaMemset(d, 0, 128), recursion<<<1, 1>>>(d);
  if (is("endless")) endless<<<1, 32>>>(d);
  if (is("late_endless")) usleep(1200000), endless<<<1, 32>>>(d);
  if (is("endless_fence")) endless_fence<<<1, 32>>>(d);
  if (is("host_assertion")) assert(d == nullptr);  // host_assertion
  if (is("dynamic_overflow")) dynamic_overflow<<<1, 64, 128>>>(d);
  if (is("bad_launch")) clean<<<1, 2048>>>(d);  // bad_launch
  if (is("flag")) flag<<<4, 256>>>(d);
  if (is("clean")) clean<<<4, 256>>>(d);
  if (is("lock_step")) lock_step<<<1, 32>>>(d);
  if (is("spin_lock")) spin_lock<<<8, 64>>>(d, d + 1);
  if (is("grid_phases")) {
    int n = 64 * 128;
    void* arguments[] = {&d, &n};
    cudaLaunchCooperativeKernel((void*)grid_phases, dim3(64), dim3(128), arguments, 0, 0);
  }
  cudaError_t launch = cudaGetLastError();
  cudaError_t end = cudaDeviceSynchronize();
  int first[2] = {};
  cudaMemcpy(first, d, sizeof first, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", cudaGetErrorName(launch != cudaSuccess ? launch : end), first[0], first[1]);
  return host[0];
}
