// kernel=turn line=11 finding=KO103
#include <cstdio>
#include <vector>


// One element more after each 32: strides of powers of two meet different banks.
__device__ __forceinline__ int padded(int i) {
  return i + (i >> 5);
}

__global__ void turn(float *out, const float *in) {
  __shared__ float tile[32 * 32 + 32];
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  tile[padded(i)] = in[i];
  __syncthreads();
  out[i] = tile[padded(threadIdx.x * 32 + threadIdx.y)];
}

int main() {
  const int n = 1024;
  std::vector<float> h(n), r(n);
  for (int i = 0; i < n; i++) h[i] = float(i);
  float *in, *out;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  turn<<<1, dim3(32, 32)>>>(out, in);
  cudaMemcpy(r.data(), out, n * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++) bad += r[i * 32 + j] != h[j * 32 + i];
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
