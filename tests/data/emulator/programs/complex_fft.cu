// cuComplex, double precision, in-place butterflies, constant twiddles.
#include <cstdio>
#include <cmath>
#include <complex>
#include <cuComplex.h>
#include <math_constants.h>
__constant__ cuDoubleComplex twiddle[32];
__global__ void fft64(cuDoubleComplex* data) {
  __shared__ cuDoubleComplex s[64]; unsigned t = threadIdx.x; s[__brev(t) >> 26] = data[t]; s[__brev(t + 32) >> 26] = data[t + 32]; __syncthreads();
  for (int half = 1; half < 64; half *= 2) { int k = t % half, base = (t / half) * half * 2 + k; cuDoubleComplex w = twiddle[k * (32 / half)], b = cuCmul(w, s[base + half]), a = s[base]; __syncthreads(); s[base] = cuCadd(a, b); s[base + half] = cuCsub(a, b); __syncthreads(); }
  data[t] = s[t]; data[t + 32] = s[t + 32];
}
__global__ void magnitude(const cuFloatComplex* z, float* m) { cuFloatComplex w = cuCdivf(cuCmulf(z[threadIdx.x], make_cuFloatComplex(0, 1)), make_cuComplex(0, 1)); m[threadIdx.x] = cuCabsf(cuConjf(w)) + (CUDART_INF_F > CUDART_PI_F); }
int main() {
  std::complex<double> h[64], w[32]; for (int i = 0; i < 64; i++) h[i] = {std::cos(2 * CUDART_PI * 5 * i / 64), 0}; for (int i = 0; i < 32; i++) w[i] = std::polar(1.0, -2 * CUDART_PI * i / 64); cuDoubleComplex* d; cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpyToSymbol(twiddle, w, sizeof w); fft64<<<1, 32>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  bool ok = std::abs(h[5] - 32.0) < 1e-9 && std::abs(h[59] - 32.0) < 1e-9 && std::abs(h[6]) < 1e-9; float2 z[4] = {{3, 4}, {0, 1}, {1, 0}, {6, 8}}; float m[4]; cudaMemcpy(d, z, sizeof z, cudaMemcpyHostToDevice); magnitude<<<1, 4>>>((cuFloatComplex*)d, (float*)(d + 32)); cudaMemcpy(m, d + 32, sizeof m, cudaMemcpyDeviceToHost); ok = ok && m[0] == 6 && m[3] == 11; printf("complex_fft %s\n", ok ? "PASS" : "FAIL"); return !ok;
}
