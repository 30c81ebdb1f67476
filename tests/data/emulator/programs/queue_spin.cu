// Work queue, ticket lock, producer and consumer blocks, volatile flags, mapped memory, device-side heap.
#include <cstdio>
struct Queue { int items[256]; int head, tail; };
__device__ Queue queue; __device__ int lock_word, counter; __device__ volatile int ready;
__device__ void lock() { while (atomicCAS(&lock_word, 0, 1) != 0) __nanosleep(20); __threadfence(); }
__device__ void unlock() { __threadfence(); atomicExch(&lock_word, 0); }
__global__ void produce(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { int at = atomicAdd(&queue.tail, 1); queue.items[at] = i + 1; } }
__global__ void consume(int* sum) { for (;;) { int at = atomicAdd(&queue.head, 1); if (at >= queue.tail) return; atomicAdd(sum, queue.items[at]); } }
__global__ void locked() { if (threadIdx.x == 0) { lock(); counter = counter + 1; unlock(); } }
__global__ void handshake(int* out) { if (blockIdx.x == 0) { if (threadIdx.x == 0) { out[0] = 42; __threadfence(); ready = 1; } } else { if (threadIdx.x == 0) { while (ready == 0) { } __threadfence(); out[1] = ((volatile int*)out)[0] + 1; } } }
int main() { int *d, *mapped, h[2], c; cudaMalloc(&d, 8); cudaMemset(d, 0, 8); produce<<<4, 64>>>(200); consume<<<2, 32>>>(d); cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost); bool ok = h[0] == 200 * 201 / 2; locked<<<20, 32>>>(); cudaMemcpyFromSymbol(&c, counter, 4); ok &= c == 20; cudaHostAlloc(&mapped, 8, cudaHostAllocMapped); mapped[0] = mapped[1] = 0; int* view; cudaHostGetDevicePointer((void**)&view, mapped, 0); handshake<<<2, 32>>>(view); ok &= cudaDeviceSynchronize() == cudaSuccess && mapped[1] == 43; puts(ok ? "queue_spin PASS" : "queue_spin FAIL"); return !ok; }
