// `using namespace std`, unqualified maths, user functions that look like library ones, kernels named like libc functions.
#include <iostream>
#include <cmath>
#include <algorithm>
#include <string>
#include <cuda_runtime.h>
using namespace std;
__device__ float lerp_(float a, float b, float t) { return a + t * (b - a); }
template <typename T> __host__ __device__ T square(T x) { return x * x; }
__device__ double sign(double v) { return signbit(v) ? -1.0 : 1.0; }
__global__ void index(float* out, float v, int n) { int i = threadIdx.x; float w = v / i; if (isinf(w) || isnan(w) || !isfinite(w)) w = 0; out[i] = max(w, 0.5f) + min(i, n) + abs(-i) + pow(2.0f, i % 3) + (float)sign(-w) + ceil(w - 0.5f) + log2(8.0f) + round(0.4f) + square(2) + fmod(7.0f, 4.0f) + hypot(3.0f, 4.0f) + atan2(0.0f, 1.0f) + exp(0.0f); }
int main() {
  float *d, h[32]; cudaMalloc(&d, sizeof h); index<<<1, 32>>>(d, 2.0f, 10); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); string s = "x"; vector<int> left{3, 1, 2}; sort(left.begin(), left.end()); bool ok = left[0] == 1;
  for (int i = 0; i < 32; i++) { float w = i ? 2.0f / i : 0; float want = max(w, 0.5f) + min(i, 10) + i + pow(2.0f, i % 3) - 1 + ceil(w - 0.5f) + 3 + 0 + 4 + 3 + 5 + 0 + 1; if (signbit(-w) == 0) want += 2; if (fabs(h[i] - want) > 1e-4) { cout << i << " " << h[i] << " " << want << endl; ok = false; } }
  cout << (ok ? "unqualified_names PASS" : "unqualified_names FAIL") << endl; return !ok;
}
