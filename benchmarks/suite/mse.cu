// mean squared error between prediction and target, in double precision
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(x) { cudaError_t e = x; if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } }

const int THREADS = 512;

__global__ void mse_kernel(const double* pred, const double* target, double* partial, long n)
{
  __shared__ double buf[THREADS];
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  double d = 0.0;
  if (i < n) d = pred[i] - target[i];
  buf[threadIdx.x] = d * d;
  __syncthreads();

  // tree reduction
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = buf[0];
}

int main(int argc, char** argv)
{
  long n = 1 << 15;
  if (argc > 1) n = atol(argv[1]);

  double* pred = (double*)malloc(n * sizeof(double));
  double* target = (double*)malloc(n * sizeof(double));
  for (long i = 0; i < n; i++) {
    target[i] = (double)(i % 255) / 255.0;
    pred[i] = target[i] + ((i * 7) % 13 - 6) * 0.01;
  }

  long blocks = (n + THREADS - 1) / THREADS;
  double *d_pred, *d_target, *d_partial;
  CHECK(cudaMalloc(&d_pred, n * sizeof(double)));
  CHECK(cudaMalloc(&d_target, n * sizeof(double)));
  CHECK(cudaMalloc(&d_partial, blocks * sizeof(double)));
  CHECK(cudaMemcpy(d_pred, pred, n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_target, target, n * sizeof(double), cudaMemcpyHostToDevice));

  mse_kernel<<<blocks, THREADS>>>(d_pred, d_target, d_partial, n);
  CHECK(cudaGetLastError());

  double* partial = (double*)malloc(blocks * sizeof(double));
  CHECK(cudaMemcpy(partial, d_partial, blocks * sizeof(double), cudaMemcpyDeviceToHost));
  double total = 0;
  for (long b = 0; b < blocks; b++) total += partial[b];
  printf("MSE = %.10f\n", total / n);

  CHECK(cudaFree(d_pred));
  CHECK(cudaFree(d_target));
  CHECK(cudaFree(d_partial));
  free(pred);
  free(target);
  free(partial);
  return 0;
}
