// kernel=swap_quadrants line=14 finding=KO103
#include <cstdio>
#include <vector>
enum { EDGE = 32 };

__device__ float weigh(float v, float w) { return v * w; }

__global__ void swap_quadrants(float *m, float w) {
  __shared__ float s[EDGE * (EDGE + 1)];
  unsigned x = threadIdx.x, y = threadIdx.y;
  float *base = m + blockIdx.x * EDGE * EDGE;
  s[y * (EDGE + 1) + x] = *(base + y * EDGE + x);
  __syncthreads();
  *(base + y * EDGE + x) = weigh(s[x * (EDGE + 1) + y], w);
}

int main() {
  const int tiles = 3, count = tiles * EDGE * EDGE;
  std::vector<float> h(count), r(count);
  for (int i = 0; i < count; i++) h[i] = (float)i;
  float *d;
  cudaMalloc((void **)&d, count * 4);
  cudaMemcpy(d, &h[0], count * 4, cudaMemcpyHostToDevice);
  dim3 block = dim3(EDGE, EDGE);
  swap_quadrants<<<tiles, block>>>(d, 2.0f);
  cudaMemcpy(&r[0], d, count * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int t = 0; t < tiles; t++)
    for (int i = 0; i < EDGE; i++)
      for (int j = 0; j < EDGE; j++)
        bad += r[t * EDGE * EDGE + i * EDGE + j] != 2 * h[t * EDGE * EDGE + j * EDGE + i];
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
