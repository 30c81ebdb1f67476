// kernel=step line=18 finding=KO106
#include <stdio.h>
#define DT 0.125
#define HALF (1.0f / 2.0f)
#define STEPS 4

namespace physics {
constexpr float kGravity = 9.5f;
const float kDrag = 0.0625f;

// DT is also used by main; the other constants only here.
__global__ void step(float* velocity, float* height, int n)
{
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  float v = velocity[i];
  v -= kGravity * (float)DT;
  v *= 1.0f - kDrag;
  height[i] += HALF * (v + velocity[i]) * (float)DT;
  velocity[i] = v;
}
}

int main()
{
  const int n = 64;
  float *velocity, *height;
  cudaMallocManaged(&velocity, n * sizeof(float));
  cudaMallocManaged(&height, n * sizeof(float));
  for (int i = 0; i < n; i++) { velocity[i] = 8; height[i] = 0; }
  for (int s = 0; s < STEPS; s++)
    physics::step<<<1, n>>>(velocity, height, n);
  cudaDeviceSynchronize();
  double v = 8, h = 0;
  for (int s = 0; s < STEPS; s++) {
    double next = (v - 9.5 * DT) * (1 - 0.0625);
    h += 0.5 * (v + next) * DT;
    v = next;
  }
  for (int i = 0; i < n; i++) {
    float error = height[i] - (float)h;
    if (error > 1e-4f || error < -1e-4f) { printf("FAIL %f %f\n", height[i], h); return 1; }
  }
  printf("PASS\n");
  return 0;
}
