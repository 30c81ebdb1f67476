// kernel=distances line=15 finding=KO108
#include <cstdio>
const int W = 8;
__global__ void distances(const float *p, float *d, int points, int dims) {
  __shared__ float mine[W][W], theirs[W][W];
  const int i = blockIdx.y * W + threadIdx.y;
  const int j = blockIdx.x * W + threadIdx.x;
  const int other = blockIdx.x * W + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < dims; t += W) {
    mine[threadIdx.y][threadIdx.x] = i < points ? p[i * dims + t + threadIdx.x] : 0;
    theirs[threadIdx.y][threadIdx.x] = other < points ? p[other * dims + t + threadIdx.x] : 0;
    __syncthreads();
    for (int k = 0; k < W; ++k) {
      const float x = mine[threadIdx.y][k] - theirs[threadIdx.x][k];
      sum += x * x;
    }
    __syncthreads();
  }
  if (i < points && j < points) d[i * points + j] = sum;
}
int main() {
  float *p, *d;
  cudaMallocManaged(&p, 30 * 24 * 4);
  cudaMallocManaged(&d, 30 * 30 * 4);
  for (int i = 0; i < 720; ++i) p[i] = i % 13;
  distances<<<dim3(4, 4), dim3(W, W)>>>(p, d, 30, 24);
  cudaDeviceSynchronize();
  printf("%f\n", d[77]);
}
