// kernel=triple line=12 finding=KO105
#include <cstdio>
#include <vector>


__device__ float times3(float v) { return v + v + v; }

__global__ void triple(float* out, const float* in, size_t n)
{
  const size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  if (i >= n) return;
  *(out + i) = times3(*(in + i));
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int repeat = 0; repeat < 2; repeat++) triple<<<(n + 127) / 128, 128>>>(out, in, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
