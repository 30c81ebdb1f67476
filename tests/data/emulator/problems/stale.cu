// Loads that a GPU may serve from a cache that no write reaches, of memory that the launch writes. argv[1] chooses the kernel; the comment at
// a line's end names the problem that must be reported there. Prints the CUDA error and the first results.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

constexpr int BLOCK = 64, BLOCKS = 4, N = BLOCK * BLOCKS;

__global__ void ldg_behind_a_barrier(int* out, const int* in, int* scratch) {
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  scratch[first + t] = in[first + t] * 2;
  __syncthreads();
  out[first + t] = __ldg(&scratch[first + BLOCK - 1 - t]);  // stale_read
}
__global__ void ldg_of_its_own(int* out, const int* in, int*) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  out[i] = in[i] + 1;
  out[i] = __ldg(out + i) * 2;  // stale_read
}
__global__ void ldg_behind_a_grid_barrier(int* out, const int* in, int* scratch) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  scratch[i] = in[i] * 2;
  cooperative_groups::this_grid().sync();
  out[i] = __ldg(&scratch[N - 1 - i]);  // stale_read
}
__global__ void ldg_of_a_vector(int* out, const int* in, int* scratch) {
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  scratch[first + t] = in[first + t] * 2;
  __syncthreads();
  if (t < BLOCK / 4) {
    int4 v = __ldg(reinterpret_cast<const int4*>(scratch + first) + t);  // stale_read
    reinterpret_cast<int4*>(out + first)[t] = v;
  }
}
// `values` and `out` are the same array.
__global__ void through_a_restrict_parameter(const int* __restrict__ values, int* out) {
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  int doubled = values[first + t] * 2;
  out[first + t] = doubled;
  __syncthreads();
  int mirrored = values[first + BLOCK - 1 - t];  // stale_read
  __syncthreads();
  out[first + t] = mirrored;
}
template <class T>
__device__ T mirrored_of(const T* row, int t) {
  return row[BLOCK - 1 - t];  // stale_read
}
template <class T>
__global__ void through_a_derived_pointer(T const* const __restrict__ values, T* __restrict__ out) {
  int t = threadIdx.x;
  const T* row = values + blockIdx.x * BLOCK;
  T* mine = out + blockIdx.x * BLOCK;
  mine[t] = row[t] * 2;
  __syncthreads();
  T v = mirrored_of(row, t);
  __syncthreads();
  mine[t] = v;
}
__device__ int table[N];
__global__ void ldg_of_a_variable(int* out, const int* in, int*) {
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  table[first + t] = in[first + t];
  __syncthreads();
  out[first + t] = __ldg(&table[first + BLOCK - 1 - t]);  // stale_read
}
__global__ void parameter_to_a_variable(const int* __restrict__ values, int* out) {  // `values` is the table
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  table[first + t] = t;
  __syncthreads();
  out[first + t] = values[first + BLOCK - 1 - t];  // stale_read
}
__global__ void in_place(const int* __restrict__ values, int* out) {  // each thread reads its element before it writes it
  int i = blockIdx.x * BLOCK + threadIdx.x;
  out[i] = values[i] * 2;
}
__global__ void two_halves(const int* __restrict__ values, int* out) {  // of one allocation: none is read that is written
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  out[first + t] = values[first + t] * 2;
  __syncthreads();
  out[first + t] += values[first + BLOCK - 1 - t];
}
__global__ void ldg_of_an_input(int* out, const int* in, int* scratch) {
  int t = threadIdx.x, first = blockIdx.x * BLOCK;
  scratch[first + t] = __ldg(&in[first + t]) * 2;
  __syncthreads();
  out[first + t] = scratch[first + BLOCK - 1 - t] + __ldg(in + first) - __ldg(in + first);
}
__global__ void plain_copy(int* out, const int* in, int*) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  out[i] = __ldg(in + i);
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  int host[N], *in, *out, *scratch;
  for (int i = 0; i < N; i++) host[i] = i + 1;
  cudaMalloc(&in, 2 * sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&scratch, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(in + N, 0, sizeof host);
  cudaMemset(out, 0, sizeof host);
  cudaMemset(scratch, 0, sizeof host);
  int* result = out;
  auto start = [&](const char* name, void (*kernel)(int*, const int*, int*)) { if (is(name)) kernel<<<BLOCKS, BLOCK>>>(out, in, scratch); };
  start("ldg_behind_a_barrier", ldg_behind_a_barrier);
  start("ldg_of_its_own", ldg_of_its_own);
  start("ldg_of_a_vector", ldg_of_a_vector);
  start("ldg_of_a_variable", ldg_of_a_variable);
  if (is("parameter_to_a_variable")) {
    void* address;
    cudaGetSymbolAddress(&address, table);
    parameter_to_a_variable<<<BLOCKS, BLOCK>>>(static_cast<int*>(address), out);
  }
  start("ldg_of_an_input", ldg_of_an_input);
  if (is("ldg_of_an_earlier_launch")) {
    plain_copy<<<BLOCKS, BLOCK>>>(scratch, in, nullptr);
    plain_copy<<<BLOCKS, BLOCK>>>(out, scratch, nullptr);
  }
  if (is("ldg_behind_a_grid_barrier")) {
    const int* from = in;
    void* arguments[] = {&out, &from, &scratch};
    cudaLaunchCooperativeKernel((void*)ldg_behind_a_grid_barrier, dim3(BLOCKS), dim3(BLOCK), arguments, 0, 0);
  }
  if (is("through_a_restrict_parameter")) through_a_restrict_parameter<<<BLOCKS, BLOCK>>>(result = in, in);
  if (is("through_a_derived_pointer")) through_a_derived_pointer<int><<<BLOCKS, BLOCK>>>(result = in, in);
  if (is("in_place")) in_place<<<BLOCKS, BLOCK>>>(result = in, in);
  if (is("two_halves")) two_halves<<<BLOCKS, BLOCK>>>(in, result = in + N);
  cudaError_t error = cudaDeviceSynchronize();
  int first[2] = {};
  cudaMemcpy(first, result, sizeof first, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", cudaGetErrorName(error), first[0], first[1]);
  return 0;
}
