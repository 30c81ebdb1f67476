#include <cstdio>
__device__ __noinline__ int walk(const int* next, int at, int stop) {
  int n = 0;
  while (at != stop && n < 60) {
    at = next[at];
    n++;
  }
  return n;
}
__global__ void lists(const int* next, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total = 0;
  for (int r = 0; r < 40; r++) {
    int a = walk(next, (i * 7 + r) % n, 0);
    total += next[(a + i) % n];
    if (total & 1) total += out[i % n] * 3;
  }
  out[i] = total;
}
__global__ void ticket(int* lock, int* sum, int rounds) {
  for (int r = 0; r < rounds; r++) {
    int old = *sum, assumed;
    do { assumed = old; old = atomicCAS(sum, assumed, assumed + (int)threadIdx.x % 3); } while (old != assumed);
  }
}
__global__ void warps(float* x, int n) {
  __shared__ float s[128];
  for (int k = 0; k < n; k++) {
    s[threadIdx.x] = x[threadIdx.x] + k;
    __syncthreads();
    float v = s[(threadIdx.x * 5 + k) % 128];
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) x[threadIdx.x] = v * 1e-3f;
    __syncthreads();
  }
}
int main() {
  const int n = 997; int h[n]; for (int i = 0; i < n; i++) h[i] = (i * 31 + 7) % n;
  int *d, *o; float* x; cudaMalloc(&d, 4 * n); cudaMalloc(&o, 4 * 4096); cudaMalloc(&x, 512);
  cudaMemset(o, 0, 4 * 4096); cudaMemset(x, 0, 512);
  cudaMemcpy(d, h, 4 * n, cudaMemcpyHostToDevice);
  lists<<<8, 128>>>(d, o, n);
  ticket<<<1, 64>>>(o, o + 1, 20);
  warps<<<2, 128>>>(x, 50);
  cudaDeviceSynchronize();
  return 0;
}
