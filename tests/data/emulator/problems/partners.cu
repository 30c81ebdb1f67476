// Races whose other side is not the thread that accessed the word last.
#include <cstdio>
#include <cstring>

// Word 32 is read by thread 0 and by thread 32, which writes it.
__global__ void halves(float* out) {
  __shared__ float sums[64];
  sums[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[32];  // read
  if (threadIdx.x == 32) {
    float own = sums[32];
    sums[32] = own + 1;  // write
  }
}

// Word 32 is read by thread 31 and by thread 32, which writes it.
__global__ void shifted(float* a) {
  int i = threadIdx.x;
  float next = i == 31 ? a[32] : 0;  // read
  if (i == 32) {
    float own = a[32];
    a[32] = own + next;  // write
  }
}

__device__ int total;

// Every block reads it, the last one adds.
__global__ void last_adds(int* out) {
  int seen = total;  // read
  out[blockIdx.x] = seen;
  if (blockIdx.x == 3) total = seen + 1;  // write
}

int main(int count, char** arguments) {
  const char* which = count > 1 ? arguments[1] : "";
  float* a;
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  if (!strcmp(which, "halves")) halves<<<1, 64>>>(a);
  if (!strcmp(which, "shifted")) shifted<<<1, 64>>>(a);
  if (!strcmp(which, "last_adds")) last_adds<<<4, 1>>>((int*)a);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
