// kernel=overlap line=29 finding=KO111
#include <cstdio>

__global__ void overlap(const float *__restrict__ a, float *__restrict__ out, int count, int length)
{
  int rowOne = blockIdx.x * blockDim.x + threadIdx.x;
  if (rowOne < count)
  {
    const float *one = a + rowOne * length;
    for (int rowTwo = 0; rowTwo <= rowOne; rowTwo++)
    {
      float both = 0;
      for (int i = 0; i < length; i++) both += fminf(one[i], a[rowTwo * length + i]);
      out[rowOne * count + rowTwo] = both;
    }
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
    int perBlock = 32;
    overlap<<<(n + perBlock - 1) / perBlock, perBlock, 0, 0>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
