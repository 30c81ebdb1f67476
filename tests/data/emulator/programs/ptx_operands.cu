// Inline PTX of one instruction with operands.
#include <cstdio>
__global__ void run(const float* in, float* out, unsigned* bits) {
  unsigned i = threadIdx.x, r; int s; float v; unsigned long long w;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(0xabcd1234u), "r"(8u), "r"(i)); bits[i] = r;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(s) : "r"((int)i), "r"(-3), "r"(7)); bits[i + 64] = s;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(0xffffffffu), "r"(i)); bits[i + 128] = (unsigned)(w >> 32);
  asm("shf.l.wrap.b32 %0, %1, %2, %3;\n" : "=r"(r) : "r"(0x80000001u), "r"(1u), "r"(i)); bits[i + 192] = r;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(in + i));
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(v), "f"(2.0f), "f"(1.0f));
  asm volatile("st.global.cs.f32 [%0], %1;" : : "l"(out + i), "f"(v) : "memory");
}
int main() {
  float *in, *out; unsigned* bits; cudaMallocManaged(&in, 256); cudaMallocManaged(&out, 256); cudaMallocManaged(&bits, 1024);
  for (int i = 0; i < 64; i++) in[i] = i;
  run<<<1, 64>>>(in, out, bits); cudaDeviceSynchronize();
  bool ok = true;
  for (unsigned i = 0; i < 64; i++) {
    unsigned field = i > 31 ? 0x00abcd12u : 0x00abcd12u & ((1u << i) - 1);
    ok = ok && bits[i] == field && (int)bits[i + 64] == (int)i * -3 + 7 && bits[i + 128] == (i ? i - 1 : 0) && out[i] == 2 * i + 1;
    ok = ok && bits[i + 192] == (unsigned)(0x180000001ull << (i % 32) >> 32);
  }
  puts(ok ? "ptx_operands PASS" : "ptx_operands FAIL"); return !ok;
}
