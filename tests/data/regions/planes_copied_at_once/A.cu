#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

// gaussian-ish smoothing of a volume, plane after plane
__global__ void smooth(const float* src, float* dst, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= w || y >= h) return;
  size_t p = ((size_t)z * h + y) * w + x;
  float c = src[p];
  float l = x ? src[p - 1] : c, r = x + 1 < w ? src[p + 1] : c;
  dst[p] = 0.25f * l + 0.5f * c + 0.25f * r;
}

int main(int argc, char** argv) {
  int w = 256, h = 64, d = 32, iters = 4;
  size_t plane = (size_t)w * h, n = plane * d;
  float* host = (float*)malloc(n * sizeof(float));
  for (size_t i = 0; i < n; i++) host[i] = (float)((i * 7919) % 1013) / 1013.f;
  float *vol, *tmp;
  CK(cudaMalloc((void**)&vol, n * sizeof(float)));
  CK(cudaMalloc((void**)&tmp, n * sizeof(float)));
  CK(cudaMemcpy(vol, host, n * sizeof(float), cudaMemcpyHostToDevice));
  dim3 b(32, 8), g((w + 31) / 32, (h + 7) / 8, d);
  for (int it = 0; it < iters; it++) {
    smooth<<<g, b>>>(vol, tmp, w, h, d);
    for (int z = 0; z < d; z++)
      CK(cudaMemcpy(vol + z * plane, tmp + z * plane, plane * sizeof(float), cudaMemcpyDeviceToDevice));
  }
  CK(cudaMemcpy(host, vol, n * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%.6f %.6f\n", host[0], host[n / 2 + 17]);
  cudaFree(vol); cudaFree(tmp); free(host);
  return 0;
}
