#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
using namespace std;

__global__ void hist(const unsigned char* img, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (; i < n; i += stride) atomicAdd(&bins[img[i]], 1u);
}
__global__ void cdf(const unsigned* bins, float* out, int n) {
  unsigned s = 0;
  for (int k = 0; k <= (int)threadIdx.x; k++) s += bins[k];
  out[threadIdx.x] = (float)s / n;
}

int main() {
  const int n = 90000, frames = 3;
  vector<unsigned char> img(n);
  unsigned char* d; unsigned* bins; float* c;
  cudaMalloc(&d, n); cudaMalloc(&bins, 256 * sizeof(unsigned)); cudaMalloc(&c, 256 * sizeof(float));
  cudaMemset(bins, 0, 256 * sizeof(unsigned));
  float out[256];
  for (int f = 0; f < frames; f++) {
    for (int i = 0; i < n; i++) img[i] = (i * 31 + f * 17) & 255;
    cudaMemcpy(d, img.data(), n, cudaMemcpyHostToDevice);
    hist<<<64, 128>>>(d, bins, n);
    cdf<<<1, 256>>>(bins, c, n);
    cudaMemcpy(out, c, sizeof out, cudaMemcpyDeviceToHost);
    printf("frame %d: %.4f %.4f\n", f, out[10], out[255]);
  }
}
