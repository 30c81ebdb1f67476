// Many blocks have the same defect; those with lower indices come to it later. argv[1] chooses it.
#include <cstdio>
#include <cstring>

__device__ int worked_on(int* a) {
  int sum = 0;
  for (int i = 0; i < (64 - blockIdx.x) * 500; ++i) sum += a[i % 32];
  return sum;
}
__global__ void far(int* a) {
  if (blockIdx.x < 5) return;
  int sum = worked_on(a);
  if (threadIdx.x >= 7) a[1ll << 40] = sum;  // wild_pointer
}
__global__ void near(int* a) {
  if (blockIdx.x < 5) return;
  int sum = worked_on(a);
  if (threadIdx.x >= 7) a[32 + blockIdx.x] = sum;  // out_of_bounds
}
__global__ void trapped(int* a) {
  if (blockIdx.x < 5) return;
  int sum = worked_on(a);
  if (threadIdx.x == 7 && sum == 0) __trap();  // trap
}
// The lower half waits for what the highest block, which fails, would say.
__global__ void waited_for(volatile int* a) {
  if (blockIdx.x < 5 && threadIdx.x == 0)
    while (a[0] == 0) {}
  if (blockIdx.x == 63) a[1ll << 40] = 1;  // wild_pointer
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int* a;
  cudaMalloc(&a, 32 * sizeof *a);
  cudaMemset(a, 0, 32 * sizeof *a);
  if (is("far")) far<<<64, 32>>>(a);
  if (is("near")) near<<<64, 32>>>(a);
  if (is("trapped")) trapped<<<64, 32>>>(a);
  if (is("waited_for")) waited_for<<<64, 32>>>(a);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
