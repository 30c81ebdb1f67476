// Recursion, function pointer tables, switch, goto, do-while, unions, bit fields, local arrays, early return.
#include <cstdio>
typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ operation table[2] = {add, mul};
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int ackermann(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ackermann(m - 1, 1); return ackermann(m - 1, ackermann(m, n - 1)); }
union Bits { float f; unsigned u; struct { unsigned mantissa : 23, exponent : 8, sign : 1; } parts; };
__global__ void run(int* out, int n) {
  int i = threadIdx.x; if (i >= n) return; int stack[16], top = 0, v = 0; for (int k = 0; k <= i % 8; ++k) stack[top++] = k; while (top) v += stack[--top];
  switch (i % 4) { case 0: v += table[0](i, 1); break; case 1: v += table[1](i, 2); case 2: v += 100; break; default: goto done; }
  do { v++; } while (v % 5);
done:
  Bits b; b.f = -8.0f; if (b.parts.sign != 1 || b.parts.exponent != 130) v = -1; out[i] = v + fibonacci(i % 10) + ackermann(2, i % 3);
}
int main() {
  int *d, h[32]; cudaMalloc(&d, sizeof h); run<<<1, 32>>>(d, 32); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); int bad = 0;
  for (int i = 0; i < 32; i++) { int v = 0; for (int k = 0; k <= i % 8; k++) v += k; bool skip = i % 4 == 3; if (i % 4 == 0) v += i + 1; if (i % 4 == 1) v += i * 2 + 100; if (i % 4 == 2) v += 100; if (!skip) do v++; while (v % 5); int a = 0, b = 1; for (int k = 0; k < i % 10; k++) { int t = a + b; a = b; b = t; } v += a + 2 * (i % 3) + 3; bad += h[i] != v; }
  printf("recursion_tables %s\n", bad ? "FAIL" : "PASS"); return bad;
}
