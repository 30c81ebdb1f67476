// kernel=to_float line=8 finding=KO118
#include <cstdio>
#include <cstdint>

__global__ void to_float(const uint8_t *p, const uint8_t *mask, float *f, size_t count) {
  const bool aligned = (reinterpret_cast<size_t>(p) | reinterpret_cast<size_t>(mask)) % 4 == 0 && reinterpret_cast<size_t>(f) % 16 == 0;
  const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * 4;
  if (aligned && first + 4 <= count) {
    alignas(4) uint8_t p4[4];
    *reinterpret_cast<int *>(p4) = *reinterpret_cast<const int *>(p + first);
    alignas(4) uint8_t mask4[4];
    *reinterpret_cast<int *>(mask4) = *reinterpret_cast<const int *>(mask + first);
    alignas(16) float f4[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      float v = p4[k] / 255.0f;
      if (mask4[k] > 40) v = 0;  // hidden
      f4[k] = v;
    }
    *reinterpret_cast<float4 *>(f + first) = *reinterpret_cast<float4 *>(f4);
  } else {
    for (size_t i = first; i < count && i < first + 4; ++i) {
      float v = p[i] / 255.0f;
      if (mask[i] > 40) v = 0;
      f[i] = v;
    }
  }
}

int main() {
    const int n = 3001;
    static uint8_t a[n], b[n];
    static float c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (uint8_t)(i * 37 % 201);
        b[i] = (uint8_t)(i * 11 % 97);
    }
    uint8_t *x, *y;
    float *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    const int threads = 128;
    int blocks = (n + threads - 1) / threads;
    to_float<<<(blocks + 3) / 4, threads>>>(x, y, z, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
