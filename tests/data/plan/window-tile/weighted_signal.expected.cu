// kernel=fir line=12 finding=KO108
#include <stdio.h>
#define TAPS 9

__constant__ int taps[TAPS];

__global__ void fir(const int *sig, long long *res, int len) {
  int t = blockIdx.x * 128 + threadIdx.x;
  __shared__ int sig_tile[128 + TAPS - 1];
  for (int col = threadIdx.x; col < 128 + TAPS - 1; col += 128) {
    const int t_in = blockIdx.x * 128 + col;
    if (t_in < len)
      sig_tile[col] = sig[t_in];
  }
  __syncthreads();
  if (t >= len - TAPS + 1) return;
  long long acc = 0;
  for (int k = 0; k < TAPS; k++)
    acc += (long long)taps[k] * sig_tile[threadIdx.x + k];
  res[t] = acc;
}

int main() {
  const int n = 700;
  int w[TAPS] = {1, -2, 3, -4, 5, -4, 3, -2, 1}, *sig;
  long long *res, sum = 0;
  cudaMemcpyToSymbol(taps, w, sizeof(w));
  cudaMallocManaged(&sig, n * sizeof(int));
  cudaMallocManaged(&res, n * sizeof(long long));
  for (int i = 0; i < n; i++) sig[i] = i * 7 % 101;
  for (int i = 0; i < n; i++) res[i] = 0;
  fir<<<(n + 127) / 128, 128>>>(sig, res, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) sum += res[i] * (i % 3 + 1);
  printf("%lld\n", sum);
  return 0;
}
