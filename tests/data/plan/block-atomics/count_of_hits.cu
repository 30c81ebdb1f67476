// kernel=countAbove line=10 finding=KO110
#include <cstdio>

__global__ void countAbove(const int* in, unsigned* hits, unsigned long long* excess, int limit, int n)
{
  const int idx = blockDim.x * blockIdx.x + threadIdx.x;
  if (idx >= n) return;
  const int v = in[idx];
  if (v > limit) {
    atomicAdd(hits, 1u);
    atomicAdd(excess, (unsigned long long)(v - limit));
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
