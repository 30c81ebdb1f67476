// kernel=mse line=15 finding=KO115
#include <cstdio>
const int THREADS = 512;

__global__ void mse(const double* in, double* partial, long n)
{
  __shared__ double buf[THREADS / 32];
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  double d = 0.0;
  if (i < n) d = in[i] - 0.5;
  double value = d * d;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0)
    buf[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < THREADS / 32; warp++)
      value += buf[warp];
    partial[blockIdx.x] = value;
  }
}

int main() {
    const int n = 20001;
    double *in, *h = new double[n];
    for (int i = 0; i < n; i++) h[i] = (i * 31 % 97) * 0.01;
    cudaMalloc(&in, n * sizeof(double));
    cudaMemcpy(in, h, n * sizeof(double), cudaMemcpyHostToDevice);
    const int blocks = (n + 511) / 512;
    double *out, *sums = new double[blocks];
    cudaMalloc(&out, blocks * sizeof(double));
    mse<<<blocks, 512>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
