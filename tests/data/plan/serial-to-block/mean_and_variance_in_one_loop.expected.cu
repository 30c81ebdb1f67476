// kernel=stats line=22 finding=KO112
#include <cstdio>

__global__ void stats(const double* in, double* out, int n) {
  double sum = 0., squares = 0.;
  for (int i = threadIdx.x; i < n; i += 256) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, offset);
    squares += __shfl_down_sync(0xffffffff, squares, offset);
  }
  __shared__ double warp_sum[8];
  __shared__ double warp_squares[8];
  if (threadIdx.x % 32 == 0) {
    warp_sum[threadIdx.x / 32] = sum;
    warp_squares[threadIdx.x / 32] = squares;
  }
  __syncthreads();
  sum = warp_sum[0];
  squares = warp_squares[0];
  for (int warp = 1; warp < 8; warp++) {
    sum += warp_sum[warp];
    squares += warp_squares[warp];
  }
  if (threadIdx.x == 0) {
    out[0] = sum / n;
    out[1] = squares / n - (sum / n) * (sum / n);
  }
}

int main() {
    const int n = 4001;
    double *in, *h = new double[n];
    for (int i = 0; i < n; i++) h[i] = (i % 17) * 0.25;
    cudaMalloc(&in, n * sizeof(double));
    cudaMemcpy(in, h, n * sizeof(double), cudaMemcpyHostToDevice);
    double *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    stats<<<1, 256>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
