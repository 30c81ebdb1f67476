// Blocks that hand data to other blocks of the same launch, with and without the fences that this takes. argv[1] chooses the kernel; the
// comment at a line's end names the problem that must be reported there. Prints the CUDA error and the result.
#include <cstdio>
#include <cstring>

constexpr int BLOCK = 64, BLOCKS = 8, N = BLOCK * BLOCKS;
__device__ unsigned ticket;
__device__ int flag[BLOCKS];
__device__ int lock;

__device__ float block_sum(float v) {
  __shared__ float part[BLOCK];
  int t = threadIdx.x;
  part[t] = v;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  return part[0];
}

// The sum of a whole array in one launch: the last block to finish adds up what all blocks left (CUDA C++ Programming Guide, "Memory Fence
// Functions").
__global__ void last_block(float* out, volatile float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float total = block_sum(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) {
      *out = total;
      ticket = 0;
    }
  }
}
__global__ void last_block_all_fence(float* out, float* sums, const float* in) {  // every thread writes and fences, one takes the ticket
  __shared__ bool is_last;
  int t = threadIdx.x;
  sums[blockIdx.x * BLOCK + t] = in[blockIdx.x * BLOCK + t];
  __threadfence();
  __syncthreads();
  if (t == 0) is_last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (int i = t; i < N; i += BLOCK) total += sums[i];
  total = block_sum(total);
  if (t == 0) *out = total, ticket = 0;
}
__global__ void last_thread(float* out, float* sums, const float* in) {  // one thread does it all
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;
  __threadfence();
  if (atomicAdd(&ticket, 1u) < gridDim.x - 1) return;
  __threadfence();
  float total = 0.0f;
  for (int b = 0; b < gridDim.x; b++) total += sums[b];
  *out = total;
  ticket = 0;
}
__global__ void fence_behind_a_barrier(float* out, float* sums, const float* in) {  // one thread fences for its block
  __shared__ bool is_last;
  int t = threadIdx.x;
  sums[blockIdx.x * BLOCK + t] = in[blockIdx.x * BLOCK + t];
  __syncthreads();
  if (t == 0) {
    __threadfence();
    is_last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (int i = t; i < N; i += BLOCK) total += sums[i];
  total = block_sum(total);
  if (t == 0) *out = total, ticket = 0;
}
__global__ void no_fence(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float total = block_sum(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0.0f);  // missing_fence
    if (threadIdx.x == 0) *out = total;
  }
}
__global__ void fence_too_early(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    __threadfence();
    sums[blockIdx.x] = sum;
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float total = block_sum(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0.0f);  // missing_fence
    if (threadIdx.x == 0) *out = total;
  }
}
__global__ void fence_of_the_block(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence_block();
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float total = block_sum(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0.0f);  // missing_fence
    if (threadIdx.x == 0) *out = total;
  }
}
__global__ void fence_of_another_thread(float* out, float* sums, const float* in) {  // each thread writes; only one fences, without a barrier
  __shared__ bool is_last;
  int t = threadIdx.x;
  sums[blockIdx.x * BLOCK + t] = in[blockIdx.x * BLOCK + t];
  if (t == 0) {
    __threadfence();
    is_last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (int i = t; i < N; i += BLOCK) total += sums[i];  // global_race
  total = block_sum(total);
  if (t == 0) *out = total;
}
__global__ void volatile_without_fence(float* out, volatile float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    is_last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float total = block_sum(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0.0f);  // possible_missing_fence
    if (threadIdx.x == 0) *out = total;
  }
}
__global__ void ticket_of_the_block(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc_block(&ticket, gridDim.x) == gridDim.x - 1;  // global_race
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; b++) total += sums[b];
    *out = total;
  }
}
__global__ void neighbour_without_a_wait(float* out, float* sums, const float* in) {  // counts, but asks nobody
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;
  __threadfence();
  atomicAdd(&ticket, 1u);
  __threadfence();
  out[blockIdx.x] = blockIdx.x > 0 ? sum - sums[blockIdx.x - 1] : sum;
}

// A histogram that the last block copies: atomics, too, have to be published.
__global__ void counted_without_fence(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  int t = threadIdx.x;
  atomicAdd(&sums[static_cast<int>(in[blockIdx.x * BLOCK + t]) % 4], 1.0f);
  __syncthreads();
  if (t == 0) is_last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (is_last && t < 4) out[t] = sums[t];  // missing_fence
}
__global__ void counted(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  int t = threadIdx.x;
  atomicAdd(&sums[static_cast<int>(in[blockIdx.x * BLOCK + t]) % 4], 1.0f);
  __threadfence();
  __syncthreads();
  if (t == 0) is_last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (is_last && t < 4) out[t] = sums[t];
}
// Lanes of a warp whose first lane speaks for them.
__global__ void first_lane_too_early(float* out, float* sums, const float* in) {
  __shared__ bool is_last;
  int t = threadIdx.x;
  sums[blockIdx.x * BLOCK + t] = in[blockIdx.x * BLOCK + t];
  if (t % 32 == 0) {
    __threadfence();
    is_last = atomicAdd(&ticket, 1u) == 2 * gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && t == 0)
    for (int i = 0; i < N; i++) *out += sums[i];  // missing_syncwarp
}
__global__ void first_lane(float* out, float* sums, const float* in) {
  __shared__ bool is_last[BLOCK / 32];
  int t = threadIdx.x;
  sums[blockIdx.x * BLOCK + t] = in[blockIdx.x * BLOCK + t];
  __syncwarp();
  if (t % 32 == 0) {
    __threadfence();
    is_last[t / 32] = atomicAdd(&ticket, 1u) == 2 * gridDim.x - 1;
    __threadfence();
  }
  __syncwarp();
  if (is_last[t / 32] && t % 32 == 0)
    for (int i = 0; i < N; i++) *out += sums[i];
}

// Flags between blocks.
__global__ void flags(float* out, float* sums, const float* in) {  // each block waits for the one before it
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  if (b > 0) {
    while (*(volatile int*)&flag[b - 1] == 0) {}
    __threadfence();
    sum += sums[b - 1];
  }
  sums[b] = sum;
  __threadfence();
  *(volatile int*)&flag[b] = 1;
  if (b == gridDim.x - 1) *out = sum;
}
__global__ void flag_without_fence(float* out, float* sums, const float* in) {
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  if (b > 0) {
    while (*(volatile int*)&flag[b - 1] == 0) {}
    __threadfence();
    sum += sums[b - 1];  // missing_fence
  }
  sums[b] = sum;
  *(volatile int*)&flag[b] = 1;
  if (b == gridDim.x - 1) *out = sum;
}
__global__ void reader_without_fence(float* out, float* sums, const float* in) {
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  if (b > 0) {
    while (*(volatile int*)&flag[b - 1] == 0) {}
    sum += sums[b - 1];  // possible_missing_fence
  }
  sums[b] = sum;
  __threadfence();
  *(volatile int*)&flag[b] = 1;
  if (b == gridDim.x - 1) *out = sum;
}
__global__ void plain_flag(float* out, float* sums, const float* in) {  // the first block waits for the last one
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  if (b < gridDim.x - 1) {
    while (flag[b + 1] == 0) {}  // plain_poll
    __threadfence();
    sum += sums[b + 1];
  }
  sums[b] = sum;
  __threadfence();
  flag[b] = 1;
  if (b == 0) *out = sum;
}

// A lock around a sum.
__global__ void locked(float* out, float* sums, const float* in) {
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *out += sum;
  __threadfence();
  atomicExch(&lock, 0);
}
__global__ void unlocked_without_fence(float* out, float* sums, const float* in) {
  float sum = block_sum(in[blockIdx.x * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  *out += sum;  // missing_fence
  atomicExch(&lock, 0);
}

// A barrier of all blocks, written by hand; the launch is cooperative.
__device__ void grid_barrier(unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&ticket, 1u);
    while (*(volatile unsigned*)&ticket < goal) {}
    __threadfence();
  }
  __syncthreads();
}
__global__ void hand_made_barrier(float* out, float* sums, const float* in) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  sums[i] = in[i];
  for (int round = 1; round <= 3; round++) {
    grid_barrier((2 * round - 1) * gridDim.x);
    float v = sums[(i + BLOCK) % N];
    grid_barrier(2 * round * gridDim.x);
    sums[i] = v;
  }
  grid_barrier(7 * gridDim.x);
  if (i == 0) {
    float total = 0.0f;
    for (int k = 0; k < N; k++) total += sums[k];
    *out = total;
  }
}
// Blocks count in the order in which they started, so that each waits for blocks that run already.
__global__ void chained_by_ticket(float* out, float* sums, const float* in) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(&ticket, 1u);
  __syncthreads();
  unsigned b = mine;
  float sum = block_sum(in[b * BLOCK + threadIdx.x]);
  if (threadIdx.x != 0) return;
  if (b > 0) {
    while (atomicAdd(&flag[b - 1], 0) == 0) {}
    __threadfence();
    sum += sums[b - 1];
  }
  sums[b] = sum;
  __threadfence();
  atomicExch(&flag[b], 1);
  if (b == gridDim.x - 1) *out = sum;
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  static float host[N];
  float expected = 0;
  for (int i = 0; i < N; i++) expected += host[i] = static_cast<float>(i * 5 % 13);
  float *in, *sums, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&sums, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(sums, 0, sizeof host);
  cudaMemset(out, 0, sizeof host);
  auto start = [&](const char* name, void (*kernel)(float*, float*, const float*)) { if (is(name)) kernel<<<BLOCKS, BLOCK>>>(out, sums, in); };
  if (is("last_block")) last_block<<<BLOCKS, BLOCK>>>(out, sums, in);
  start("last_block_all_fence", last_block_all_fence);
  start("last_thread", last_thread);
  start("fence_behind_a_barrier", fence_behind_a_barrier);
  start("no_fence", no_fence);
  start("fence_too_early", fence_too_early);
  start("fence_of_the_block", fence_of_the_block);
  start("fence_of_another_thread", fence_of_another_thread);
  if (is("volatile_without_fence")) volatile_without_fence<<<BLOCKS, BLOCK>>>(out, sums, in);
  start("ticket_of_the_block", ticket_of_the_block);
  start("neighbour_without_a_wait", neighbour_without_a_wait);
  start("counted_without_fence", counted_without_fence);
  start("counted", counted);
  start("first_lane_too_early", first_lane_too_early);
  start("first_lane", first_lane);
  start("flags", flags);
  start("flag_without_fence", flag_without_fence);
  start("reader_without_fence", reader_without_fence);
  start("plain_flag", plain_flag);
  start("locked", locked);
  start("unlocked_without_fence", unlocked_without_fence);
  start("chained_by_ticket", chained_by_ticket);
  if (is("hand_made_barrier")) {
    void* arguments[] = {&out, &sums, &in};
    cudaLaunchCooperativeKernel((void*)hand_made_barrier, dim3(BLOCKS), dim3(BLOCK), arguments, 0, 0);
  }
  cudaError_t error = cudaDeviceSynchronize();
  float total = -1;
  cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
  printf("%s %s\n", cudaGetErrorName(error), total == expected ? "right" : "wrong");
  return 0;
}
