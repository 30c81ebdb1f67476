// kernel=blur line=25 finding=KO111
#include <cstdio>

// 10 planes of 7 rows; a thread walks through the planes
__global__ void blur(const float *__restrict__ in, float *__restrict__ out, int w, int h, int planes) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
    return;
  for (long long z = 1; z <= planes - 2; ++z) {
    long long p = (z * h + y) * w + x;
    out[p] = in[p] + 0.1f * (in[p - w * h] + in[p + w * h]) + 0.2f * (in[p - 1] + in[p + 1]);
  }
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    dim3 block(32, 4), grid(2, 2);
    blur<<<grid, block>>>(d, o, 50, 7, 10);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
