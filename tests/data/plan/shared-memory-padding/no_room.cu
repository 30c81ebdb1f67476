// kernel=widen line=11 finding=KO103
#include <cstdio>
#include <vector>


__global__ void widen(float *out, const float *in) {
  __shared__ float rows[192][64];
  for (int i = threadIdx.x; i < 192 * 64; i += blockDim.x) rows[i / 64][i % 64] = in[i];
  __syncthreads();
  float sum = 0;
  for (int c = 0; c < 64; c++) sum += rows[threadIdx.x][c];
  out[threadIdx.x] = sum;
}

int main() {
  const int n = 192 * 64;
  std::vector<float> h(n), r(192);
  for (int i = 0; i < n; i++) h[i] = float(i % 9);
  float *in, *out;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, 192 * 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  widen<<<1, 192>>>(out, in);
  cudaMemcpy(r.data(), out, 192 * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 192; i++) {
    float s = 0;
    for (int c = 0; c < 64; c++) s += h[i * 64 + c];
    bad += s != r[i];
  }
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
