// Kernels that end their process. Device code cannot name what does that; here the host leaves pointers to its own functions in memory.
#include <csignal>
#include <cuda_runtime.h>
#include <unistd.h>

struct Memory {
  int numbers[32];
  int (*raises)(int);
  void (*leaves)(int);
  void (*waits)();
  void (*rests)();
};

__global__ void count(Memory *memory) { memory->numbers[threadIdx.x] = threadIdx.x; }
__global__ void killed(Memory *memory) { memory->raises(SIGKILL); }
__global__ void gone(Memory *memory) { memory->leaves(0); }
__global__ void hangs(Memory *memory) { memory->waits(); }
__global__ void rests(Memory *memory) {
  if (threadIdx.x == 0) memory->rests();
}

void block_signals_and_wait() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

void rest() { usleep(1'500'000); }

int main() {
  Memory host{{}, raise, _exit, block_signals_and_wait, rest};
  Memory *memory;
  cudaMalloc(&memory, sizeof(Memory));
  cudaMemcpy(memory, &host, sizeof(Memory), cudaMemcpyHostToDevice);
  count<<<1, 32>>>(memory);
  cudaDeviceSynchronize();
  return 0;
}
