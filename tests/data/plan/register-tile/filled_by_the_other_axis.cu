// kernel=scores line=17 finding=KO108
#include <cstdio>
const int W = 8;
// a thread fills its tile from the row of its x, which is no element of the row that the reading thread stands for
__global__ void scores(const float *p, const float *q, float *d, int points, int dims) {
  __shared__ float left[W][W], right[W][W];
  const int i = blockIdx.y * W + threadIdx.y;
  const int j = blockIdx.x * W + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < dims; t += W) {
    left[threadIdx.y][threadIdx.x] = p[(blockIdx.y * W + threadIdx.x) * dims + t + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = q[(t + threadIdx.y) * points + j];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < W; ++k) {
      // like this, p's diagonal is what is added up
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    }
    __syncthreads();
  }
  if (i < points && j < points) d[i * points + j] = sum;
}
int main() {
  float *p, *q, *d;
  cudaMallocManaged(&p, 32 * 24 * 4);
  cudaMallocManaged(&q, 32 * 24 * 4);
  cudaMallocManaged(&d, 32 * 32 * 4);
  for (int i = 0; i < 768; ++i) p[i] = i % 13, q[i] = i % 7;
  scores<<<dim3(4, 4), dim3(W, W)>>>(p, q, d, 32, 24);
  cudaDeviceSynchronize();
  printf("%f\n", d[77]);
}
