// __half and __nv_bfloat16: rounding, operators, intrinsics, vectors, host use.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ int bad;
#define CHECK(x) do { if (!(x)) { atomicAdd(&bad, 1); printf("line %d\n", __LINE__); } } while (0)
template <typename T> __global__ void axpy(int n, T a, const T* x, T* y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }
__global__ void run() {
  half a = __float2half(1.0f), b = 2.0f; half2 v = __floats2half2_rn(1.f, 2.f), w = __half2half2(b);
  CHECK(__half2float(a + b) == 3.f); CHECK((float)(a / b) == .5f); CHECK(__half_as_ushort(a) == 0x3c00); CHECK(__half_as_ushort(__float2half(65520.f)) == 0x7c00); CHECK(__half_as_ushort(__float2half(65519.f)) == 0x7bff); CHECK(__half_as_ushort(__float2half(5.9604645e-8f)) == 1); CHECK(__half_as_ushort(__float2half(2.9802322e-8f)) == 0); CHECK(__half_as_ushort(__float2half(2049.f)) == __half_as_ushort(__float2half(2048.f))); CHECK((float)__float2half(2051.f) == 2052.f); CHECK(__half_as_ushort(__float2half_rz(65520.f)) == 0x7bff); CHECK((float)__float2half_ru(1.0001f) > 1.f); CHECK(__half2float(__ushort_as_half(0x0001)) == 5.9604645e-8f);
  CHECK(__hgt(b, a)); CHECK(__hlt(a, b)); CHECK(__heq(a, a)); CHECK(a < b); CHECK(!__hisnan(a)); CHECK(__hisinf(__ushort_as_half(0x7c00)) == 1); CHECK((float)__hmax(a, b) == 2.f); CHECK((float)__hfma(a, b, a) == 3.f); CHECK((float)hsqrt(__float2half(4.f)) == 2.f); CHECK((float)hexp(__float2half(0.f)) == 1.f); CHECK((float)hrcp(b) == .5f); CHECK((float)__habs(__hneg(b)) == 2.f); CHECK(__half2int_rn(__float2half(2.5f)) == 2); CHECK((float)__int2half_rn(7) == 7.f);
  CHECK((float)__hadd2(v, w).y == 4.f); CHECK(__low2float(__hmul2(v, w)) == 2.f); CHECK(__high2float(__hfma2(v, w, v)) == 6.f); CHECK((float)(v + w).x == 3.f); float2 f = __half22float2(v); CHECK(f.x == 1.f && f.y == 2.f); CHECK((float)__low2half(__lowhigh2highlow(v)) == 2.f); CHECK(__hbgt2(w, __float2half2_rn(1.f))); v += w; CHECK((float)v.x == 3.f); a += b; CHECK((float)a == 3.f); CHECK((float)-a == -3.f);
  CHECK((float)__shfl_xor_sync(0xffffffff, __float2half((float)threadIdx.x), 1) == (threadIdx.x ^ 1));
  __nv_bfloat16 p = __float2bfloat16(1.f), q = 3.0f; CHECK(__bfloat16_as_ushort(p) == 0x3f80); CHECK((float)(p + q) == 4.f); CHECK((float)__float2bfloat16(1.00390625f) == 1.f); CHECK((float)__float2bfloat16(1.01171875f) == 1.015625f); CHECK((float)__hmul(p, q) == 3.f); __nv_bfloat162 pq = __halves2bfloat162(p, q); CHECK((float)__hadd2(pq, pq).y == 6.f); CHECK(__bfloat1622float2(pq).y == 3.f); CHECK((float)__float2bfloat16(3.4e38f) > 3e38f); CHECK(__hisnan(__float2bfloat16(NAN)));
}
int main() {
  run<<<1, 32>>>(); cudaDeviceSynchronize(); int b = -1; cudaMemcpyFromSymbol(&b, bad, 4);
  half hx[64], hy[64]; for (int i = 0; i < 64; i++) { hx[i] = __float2half((float)i); hy[i] = half(1); } half *x, *y; cudaMalloc(&x, 128); cudaMalloc(&y, 128); cudaMemcpy(x, hx, 128, cudaMemcpyHostToDevice); cudaMemcpy(y, hy, 128, cudaMemcpyHostToDevice);
  axpy<<<1, 64>>>(64, __float2half(2.f), x, y); cudaMemcpy(hy, y, 128, cudaMemcpyDeviceToHost); for (int i = 0; i < 64; i++) b += __half2float(hy[i]) != 2.f * i + 1;
  puts(b ? "half_precision FAIL" : "half_precision PASS"); return b;
}
