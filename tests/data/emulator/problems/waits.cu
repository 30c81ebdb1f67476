// Blocks that wait for other blocks in a launch that does not promise that they run. argv[1] chooses the kernel; the comment at a line's end
// names the problem that must be reported there. Prints the CUDA error and a result.
#include <cstdio>
#include <cstring>

constexpr int BLOCK = 32, BLOCKS = 6;
__device__ unsigned arrived;
__device__ volatile int ready[BLOCKS];
__device__ int lock;

__global__ void spin_barrier(int* out) {
  out[blockIdx.x * BLOCK + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1u);
    while (*(volatile unsigned*)&arrived < gridDim.x) {}  // co_residency
    __threadfence();
  }
  __syncthreads();
  int next = (blockIdx.x + 1) % gridDim.x * BLOCK + threadIdx.x;
  int seen = out[next];
  if (seen == 0) printf("not seen\n");
}
__global__ void counts_until_all_came(int* out) {  // the same with an atomic that adds nothing
  out[blockIdx.x * BLOCK + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1u);
    for (;;) {
      if (atomicAdd(&arrived, 0u) >= gridDim.x) break;  // co_residency
    }
    __threadfence();
  }
  __syncthreads();
}
__global__ void waits_for_the_next(int* out) {
  int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  out[b] = b;
  if (b + 1 < gridDim.x) {
    while (!ready[b + 1]) __nanosleep(100);  // co_residency
    __threadfence();
    out[b] += out[b + 1];
  }
  __threadfence();
  ready[b] = 1;
}
__global__ void waits_for_the_previous(int* out) {
  int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  out[b] = b;
  if (b > 0) {
    while (!ready[b - 1]) {}  // block_order
    __threadfence();
    out[b] += out[b - 1];
  }
  __threadfence();
  ready[b] = 1;
}
__global__ void takes_a_ticket(int* out) {  // waits only for blocks that have started
  if (threadIdx.x != 0) return;
  unsigned b = atomicAdd(&arrived, 1u);
  out[b] = b;
  if (b > 0) {
    while (!ready[b - 1]) {}
    __threadfence();
    out[b] += out[b - 1];
  }
  __threadfence();
  ready[b] = 1;
}
__global__ void takes_a_lock(int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += 1;
  __threadfence();
  atomicExch(&lock, 0);
}
__global__ void warp_waits_for_a_warp(int* out) {
  __shared__ int ready, value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (ready == 0) {}  // plain_poll
    out[0] = value;
  }
  if (threadIdx.x == 40) {
    value = 7;
    __threadfence_block();
    ready = 1;
  }
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int* out;
  cudaMalloc(&out, BLOCKS * BLOCK * sizeof(int));
  cudaMemset(out, 0, BLOCKS * BLOCK * sizeof(int));
  if (is("spin_barrier")) spin_barrier<<<BLOCKS, BLOCK>>>(out);
  if (is("cooperative")) {
    void* arguments[] = {&out};
    cudaLaunchCooperativeKernel((void*)spin_barrier, dim3(BLOCKS), dim3(BLOCK), arguments, 0, 0);
  }
  if (is("counts_until_all_came")) counts_until_all_came<<<BLOCKS, BLOCK>>>(out);
  if (is("waits_for_the_next")) waits_for_the_next<<<BLOCKS, BLOCK>>>(out);
  if (is("waits_for_the_previous")) waits_for_the_previous<<<BLOCKS, BLOCK>>>(out);
  if (is("takes_a_ticket")) takes_a_ticket<<<BLOCKS, BLOCK>>>(out);
  if (is("takes_a_lock")) takes_a_lock<<<BLOCKS, BLOCK>>>(out);
  if (is("warp_waits_for_a_warp")) warp_waits_for_a_warp<<<1, 64>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  int first = -1;
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  printf("%s %d\n", cudaGetErrorName(error), first);
  return 0;
}
