// Kernels that end their process; a GPU has no such calls, code that imitates them does.
#include <csignal>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void count(int *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void killed(int *out) { raise(SIGKILL); }
__global__ void gone(int *out) { _exit(0); }
__global__ void hangs(int *out) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  count<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  return 0;
}
