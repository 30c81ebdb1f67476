// kernel=potentials line=16 finding=KO111 technique=split-loop
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Charge { float x, y, z, q; };

__global__ void potentials(const Charge *charges, int count, const float *px, const float *py, const float *pz, float *out, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < points ? px[i] : 0.0f;
  float y = i < points ? py[i] : 0.0f;
  float z = i < points ? pz[i] : 0.0f;
  float v = 0;
  if (i < points)
    for (int c = threadIdx.y; c < count; c += 16) {
      float dx = charges[c].x - x;
      float dy = charges[c].y - y;
      float dz = charges[c].z - z;
      v += charges[c].q / sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    }
  __shared__ float v_parts[16][32];
  v_parts[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  v = v_parts[0][threadIdx.x];
  for (int part = 1; part < 16; part++) v += v_parts[part][threadIdx.x];
  if (threadIdx.y == 0 && i < points) out[i] = v;
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
  potentials<<<(points + 31) / 32, dim3(32, 16)>>>(charges, count, px, py, pz, out, points);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < points; ++i) sum += out[i];
  printf("%.5f\n", sum);
  return 0;
}
