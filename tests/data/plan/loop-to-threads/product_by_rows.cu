// kernel=gram line=26 finding=KO111
#include <cstdio>

__global__ void gram(double *A, double *C, int n, int m) {
  const int i = threadIdx.x + blockIdx.x*blockDim.x;
  if (i < n) {
    const double first = A[i*m];
    for (int j = 0; j < n; ++j) {
      double s = first;
      for (int k = 0; k < m; ++k) s += A[i*m + k] * A[k*n + j];
      C[i*n + j] = s;
    }
  }
}

int main() {
    const int n = 70, m = 50;
    static double h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    double *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    const dim3 grid((n + 63) / 64), block(64);
    gram<<<grid, block>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double v : r) sum += v;
    printf("%g\n", sum);
}
