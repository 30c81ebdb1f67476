// Warp operations and lanes that do not take part, lanes that are not ordered, and correct twins. argv[1] chooses the kernel; the comment at a
// line's end names the problem that must be reported there. Prints the CUDA error and the first results.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

constexpr unsigned ALL = 0xffffffffu;

__global__ void beyond_the_block(int* out) {  // 48 threads: the second warp has 16 lanes
  int v = threadIdx.x + 1;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d);  // inactive_lane_read
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
__global__ void after_an_early_return(int* out, int n) {
  if (threadIdx.x >= n) return;
  int v = threadIdx.x + 1;
  for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(ALL, v, d);  // inactive_lane_read
  out[threadIdx.x] = v;
}
__global__ void outside_the_mask(int* out) {
  int v = threadIdx.x + 1;
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, v, 20);  // inactive_lane_read
}
__global__ void lanes_that_do_not_come(int* out) {
  unsigned found = 0;
  if (threadIdx.x % 2) found = __ballot_sync(ALL, threadIdx.x > 4);  // bad_warp_mask
  __syncwarp();
  out[threadIdx.x] = found;
}
__global__ void through_global_memory(int* out) {  // one warp, without __syncwarp
  out[threadIdx.x] = threadIdx.x;
  out[32 + threadIdx.x] = out[31 - threadIdx.x];  // missing_syncwarp
}
__global__ void shifted_in_place(int* out) {
  if (threadIdx.x < 31) {
    int v = out[threadIdx.x + 1];
    out[threadIdx.x] = v;  // missing_syncwarp
  }
}
__global__ void lock_step(int* out) {  // as written before lanes of a warp could run apart
  volatile __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = 1;
  s[t] = s[t] + s[t + 16];  // lock_step
  s[t] = s[t] + s[t + 8];
  out[t] = s[t];
}
__global__ void activemask_of_a_branch(int* out) {
  int v = threadIdx.x + 1;
  if (threadIdx.x < 32) {
    unsigned mask = __activemask();
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
  }
  if (threadIdx.x == 0) out[0] = v;
}

__global__ void whole_warps(int* out) {
  int v = threadIdx.x + 1;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
__global__ void segments(int* out) {  // 16 lanes each; beyond a segment a lane keeps its own value
  int v = threadIdx.x + 1;
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d, 16);
  out[threadIdx.x] = v;
}
__global__ void half_a_warp(int* out) {  // lanes 8 to 15 read others that do not take part, and nobody uses what they get
  int v = threadIdx.x + 1;
  if (threadIdx.x < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0x0000ffffu, v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}
__global__ void guarded_tail(int* out, int n) {  // all lanes stay, those beyond the end bring nothing
  int v = threadIdx.x < n ? threadIdx.x + 1 : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d);
  if (threadIdx.x == 0) out[0] = v;
}
__global__ void counted_together(int* out, int n) {  // one atomic for all lanes that happen to be here
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (i % 3 == 0) {
      unsigned lanes = __activemask();
      int leader = __ffs(lanes) - 1;
      if (threadIdx.x % 32 == leader) atomicAdd(out, __popc(lanes));
    }
}
__global__ void counted_by_groups(int* out, int n) {
  namespace cg = cooperative_groups;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (i % 3 == 0) {
      auto lanes = cg::coalesced_threads();
      int before = 0;
      if (lanes.thread_rank() == 0) before = atomicAdd(out, static_cast<int>(lanes.size()));
      if (lanes.shfl(before, 0) < 0) out[1] = 1;
    }
}
__global__ void ballot_of_a_short_warp(int* out) {
  unsigned even = __ballot_sync(ALL, threadIdx.x % 2 == 0);
  out[threadIdx.x] = __popc(even);
}
__global__ void ordered_global(int* out) {
  out[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[32 + threadIdx.x] = out[31 - threadIdx.x];
}
__global__ void own_elements(int* out) {
  for (int k = 0; k < 4; k++) out[threadIdx.x] += k;
}
__global__ void ordered_volatile(int* out) {
  volatile __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = 1;
  __syncwarp();
  int v = s[t] + s[t + 16];
  __syncwarp();
  s[t] = v;
  out[t] = s[t];
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int* out;
  cudaMalloc(&out, 4096);
  cudaMemset(out, 0, 4096);
  if (is("beyond_the_block")) beyond_the_block<<<1, 48>>>(out);
  if (is("after_an_early_return")) after_an_early_return<<<1, 32>>>(out, 20);
  if (is("outside_the_mask")) outside_the_mask<<<1, 32>>>(out);
  if (is("lanes_that_do_not_come")) lanes_that_do_not_come<<<1, 32>>>(out);
  if (is("through_global_memory")) through_global_memory<<<1, 32>>>(out);
  if (is("shifted_in_place")) shifted_in_place<<<1, 32>>>(out);
  if (is("lock_step")) lock_step<<<1, 32>>>(out);
  if (is("activemask_of_a_branch")) activemask_of_a_branch<<<1, 64>>>(out);
  if (is("whole_warps")) whole_warps<<<1, 64>>>(out);
  if (is("segments")) segments<<<1, 64>>>(out);
  if (is("half_a_warp")) half_a_warp<<<1, 32>>>(out);
  if (is("guarded_tail")) guarded_tail<<<1, 32>>>(out, 20);
  if (is("counted_together")) counted_together<<<2, 64>>>(out, 1000);
  if (is("counted_by_groups")) counted_by_groups<<<2, 64>>>(out, 1000);
  if (is("ballot_of_a_short_warp")) ballot_of_a_short_warp<<<1, 20>>>(out);
  if (is("ordered_global")) ordered_global<<<1, 32>>>(out);
  if (is("own_elements")) own_elements<<<1, 64>>>(out);
  if (is("ordered_volatile")) ordered_volatile<<<1, 32>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  int first[2] = {};
  cudaMemcpy(first, out, sizeof first, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", cudaGetErrorName(error), first[0], first[1]);
  return 0;
}
