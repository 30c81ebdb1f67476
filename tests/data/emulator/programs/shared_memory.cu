// Static and dynamic shared memory in the shapes people write.
#include <cstdio>
#include <cuda_runtime.h>
struct Node { float4 position; int id; };
extern __shared__ int file_scope[];
__global__ void at_file_scope(int* out) { file_scope[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = file_scope[31 - threadIdx.x]; }
__global__ void views(float* out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* a = reinterpret_cast<float*>(raw);
  int* b = (int*)&a[n];
  double* c = (double*)(&raw[n * 8]);
  a[threadIdx.x] = threadIdx.x; b[threadIdx.x] = 2 * threadIdx.x; c[threadIdx.x] = 0.5;
  __syncthreads();
  out[threadIdx.x] = a[n - 1 - threadIdx.x] + b[threadIdx.x] + (float)c[0];
}
template <typename T> __device__ T* dynamic() { extern __shared__ double2 storage[]; return (T*)storage; }
template <typename T> __global__ void typed(T* out) { T* s = dynamic<T>(); s[threadIdx.x] = (T)threadIdx.x; __syncthreads(); out[threadIdx.x] = s[31 - threadIdx.x]; }
template <int N> __global__ void arrays(int* out) {
  __shared__ int tile[N][N + 1], scalar;
  volatile __shared__ float v[32];
  __shared__ alignas(16) Node nodes[N];
  static __shared__ __align__(8) short small[4];
  const int x = threadIdx.x % N, y = threadIdx.x / N;
  tile[y][x] = threadIdx.x; v[threadIdx.x] = 1.0f;
  if (threadIdx.x == 0) { scalar = 100; small[0] = 1; }
  if (threadIdx.x < N) nodes[threadIdx.x] = Node{make_float4(1, 2, 3, 4), (int)threadIdx.x};
  __syncthreads();
  out[threadIdx.x] = tile[x % N][y] + scalar + small[0] + nodes[1].id + (int)nodes[2].position.w + (int)v[3];
}
__device__ int helper(int v) { __shared__ int cell[32]; cell[threadIdx.x] = v; __syncwarp(); return cell[threadIdx.x ^ 1]; }
__global__ void in_function(int* out) { out[threadIdx.x] = helper(threadIdx.x); }
__global__ void two_dimensional(float* out) {
  extern __shared__ float grid[][33];
  grid[threadIdx.y][threadIdx.x] = threadIdx.x + 100 * threadIdx.y;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = grid[threadIdx.x % 2][threadIdx.y];
}
#define CHECK(x) if (!(x)) { printf("line %d\n", __LINE__); bad++; }
int main() {
  int bad = 0; int* d; cudaMalloc(&d, 4096); int h[64]; float f[64];
  at_file_scope<<<1, 32, 128>>>(d); cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); CHECK(h[0] == 31 && h[31] == 0);
  views<<<1, 32, 32 * 16>>>((float*)d, 32); cudaMemcpy(f, d, 128, cudaMemcpyDeviceToHost); CHECK(f[0] == 31.5f && f[31] == 62.5f);
  typed<<<1, 32, 32 * sizeof(double)>>>((double*)d); double g[32]; cudaMemcpy(g, d, 256, cudaMemcpyDeviceToHost); CHECK(g[1] == 30.0);
  typed<short><<<1, 32, 64>>>((short*)d); short s[32]; cudaMemcpy(s, d, 64, cudaMemcpyDeviceToHost); CHECK(s[1] == 30);
  arrays<4><<<1, 16>>>(d); cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost); CHECK(h[0] == 0 + 100 + 1 + 1 + 4 + 1);
  in_function<<<1, 32>>>(d); cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); CHECK(h[4] == 5 && h[5] == 4);
  two_dimensional<<<1, dim3(32, 2), 2 * 33 * 4>>>((float*)d); cudaMemcpy(f, d, 256, cudaMemcpyDeviceToHost); CHECK(f[33] == 101.0f);
  cudaFuncSetAttribute(two_dimensional, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
  two_dimensional<<<1, dim3(32, 2), 100000>>>((float*)d); CHECK(cudaGetLastError() == cudaSuccess);
  puts(bad ? "shared_memory FAIL" : "shared_memory PASS"); return bad;
}
