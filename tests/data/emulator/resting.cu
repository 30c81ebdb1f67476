// A program that does nothing for most of its time.
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void count(int *numbers) { numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main() {
  int *numbers;
  cudaMalloc(&numbers, 256 * sizeof(int));
  cudaMemset(numbers, 0, 256 * sizeof(int));
  for (int i = 0; i < 6; i++) {
    count<<<4, 64>>>(numbers);
    cudaDeviceSynchronize();
    usleep(150'000);
  }
  return 0;
}
