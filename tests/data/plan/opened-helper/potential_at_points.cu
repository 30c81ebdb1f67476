// kernel=potentials line=16 finding=KO111 technique=split-loop
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Charge { float x, y, z, q; };

__device__ float potential(const Charge *charges, int count, float x, float y, float z) {
  float v = 0;
  for (int c = 0; c < count; ++c) {
    float dx = charges[c].x - x;
    float dy = charges[c].y - y;
    float dz = charges[c].z - z;
    v += charges[c].q / sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
  }
  return v;
}

__global__ void potentials(const Charge *charges, int count, const float *px, const float *py, const float *pz, float *out, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < points) out[i] = potential(charges, count, px[i], py[i], pz[i]);
}

int main() {
  const int count = 900, points = 600;
  Charge *charges;
  float *px, *py, *pz, *out;
  cudaMallocManaged(&charges, count * sizeof(Charge));
  cudaMallocManaged(&px, points * sizeof(float));
  cudaMallocManaged(&py, points * sizeof(float));
  cudaMallocManaged(&pz, points * sizeof(float));
  cudaMallocManaged(&out, points * sizeof(float));
  for (int c = 0; c < count; ++c) charges[c] = {sinf(c), cosf(c), c * 0.001f, (c % 3) - 1.0f};
  for (int i = 0; i < points; ++i) {
    px[i] = 2 + i * 0.01f;
    py[i] = i % 10;
    pz[i] = 0.5f;
  }
  potentials<<<(points + 127) / 128, 128>>>(charges, count, px, py, pz, out, points);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < points; ++i) sum += out[i];
  printf("%.5f\n", sum);
  return 0;
}
