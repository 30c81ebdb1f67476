// Atomic functions of all types and scopes.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Results { int add, sub, low, high, bits_and, bits_or, bits_xor, last; unsigned inc, dec, umax; unsigned long long sum64, cas64; long long min64; float f; double d; half h; __half2 h2; __nv_bfloat16 b; unsigned short half_cas; int lock_total, mutex; float2 f2; };
__device__ float atomicMaxFloat(float* address, float value) {
  int* as_int = (int*)address; int old = *as_int, assumed;
  do { assumed = old; old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed)))); } while (assumed != old);
  return __int_as_float(old);
}
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif
__global__ void run(Results* r, float* largest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&r->add, 1); atomicSub(&r->sub, 2); atomicMin(&r->low, i); atomicMax(&r->high, i); atomicAnd(&r->bits_and, ~(1 << i % 8)); atomicOr(&r->bits_or, 1 << i % 8); atomicXor(&r->bits_xor, i);
  atomicExch(&r->last, 5); atomicInc(&r->inc, 9); atomicDec(&r->dec, 9); atomicMax(&r->umax, (unsigned)i); atomicAdd(&r->sum64, (unsigned long long)i << 32); atomicMin(&r->min64, -(long long)i);
  atomicAdd(&r->f, 0.5f); atomicAdd_block(&r->d, 0.25); atomicAdd_system(&r->add, 1); atomicAdd(&r->h, __float2half(1.0f)); atomicAdd(&r->h2, __floats2half2_rn(1.0f, 2.0f)); atomicAdd(&r->b, __float2bfloat16(1.0f)); atomicAdd(&r->f2, make_float2(1, 2));
  atomicMaxFloat(largest, i * 0.5f);
  if (i == 0) { atomicCAS(&r->half_cas, (unsigned short)0, (unsigned short)3); atomicCAS(&r->cas64, 0ull, 1ull << 50); }
  bool done = false;
  while (!done) { if (atomicCAS(&r->mutex, 0, 1) == 0) { r->lock_total++; __threadfence(); atomicExch(&r->mutex, 0); done = true; } }
}
int main() {
  Results *d, h; float* m; memset(&h, 0, sizeof h); h.low = 1000; h.bits_and = 255; cudaMalloc(&d, sizeof h); cudaMalloc(&m, 4); cudaMemset(m, 0, 4); cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
  run<<<2, 64>>>(d, m); float largest; cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost); cudaMemcpy(&largest, m, 4, cudaMemcpyDeviceToHost);
  bool ok = h.add == 256 && h.sub == -256 && h.low == 0 && h.high == 127 && h.bits_and == 0 && h.bits_or == 255 && h.bits_xor == 0 && h.last == 5 && h.inc == 128 % 10 && h.umax == 127;
  ok = ok && h.sum64 == 8128ull << 32 && h.min64 == -127 && h.f == 64 && h.d == 32 && __half2float(h.h) == 128 && __low2float(h.h2) == 128 && __high2float(h.h2) == 256 && __bfloat162float(h.b) == 128;
  ok = ok && h.half_cas == 3 && h.cas64 == 1ull << 50 && h.lock_total == 128 && largest == 63.5f && h.f2.x == 128 && h.f2.y == 256;
  puts(ok ? "atomics PASS" : "atomics FAIL"); return !ok;
}
