// kernel=to_float line=8 finding=KO118
#include <cstdio>
#include <cstdint>

__global__ void to_float(const uint8_t *p, const uint8_t *mask, float *f, size_t count) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float v = p[i] / 255.0f;
  if (mask[i] > 40) v = 0;  // hidden
  f[i] = v;
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
    to_float<<<blocks, threads>>>(x, y, z, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
