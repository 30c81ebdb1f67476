// kernel=countAbove line=10 finding=KO110
#include <cstdio>

__global__ void countAbove(const int* in, unsigned* hits, unsigned long long* excess, int limit, int n)
{
  const int idx = blockDim.x * blockIdx.x + threadIdx.x;
  unsigned thread_hits = 0;
  unsigned long long thread_excess = 0;
  if (idx < n) {
    const int v = in[idx];
    if (v > limit) {
      thread_hits += 1u;
      thread_excess += (unsigned long long)(v - limit);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    thread_hits += __shfl_down_sync(0xffffffff, thread_hits, offset);
    thread_excess += __shfl_down_sync(0xffffffff, thread_excess, offset);
  }
  __shared__ unsigned warp_hits[4];
  __shared__ unsigned long long warp_excess[4];
  if (threadIdx.x % 32 == 0) {
    warp_hits[threadIdx.x / 32] = thread_hits;
    warp_excess[threadIdx.x / 32] = thread_excess;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 4; warp++) {
      thread_hits += warp_hits[warp];
      thread_excess += warp_excess[warp];
    }
    atomicAdd(hits, thread_hits);
    atomicAdd(excess, thread_excess);
  }
}

int main() {
    const int n = 15001;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i * 7919 % 1001;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    unsigned* hits;
    unsigned long long* excess;
    cudaMalloc(&hits, 4);
    cudaMalloc(&excess, 8);
    cudaMemset(hits, 0, 4);
    cudaMemset(excess, 0, 8);
    const int threads = 128, blocks = (n + threads - 1) / threads;
    countAbove<<<blocks, threads>>>(in, hits, excess, 600, n);
    unsigned h1;
    unsigned long long h2;
    cudaMemcpy(&h1, hits, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&h2, excess, 8, cudaMemcpyDeviceToHost);
    printf("%u %llu\n", h1, h2);
    return 0;
}
