// Inline PTX that only reads special registers.
#include <cstdio>
__device__ __forceinline__ unsigned lane_id() { unsigned ret; asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret)); return ret; }
__device__ __forceinline__ unsigned lanemask_lt() { unsigned m; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); return m; }
__global__ void run(int* out) { asm volatile("" ::: "memory"); asm volatile("membar.gl;"); out[threadIdx.x] = lane_id() * 100 + __popc(lanemask_lt()); asm volatile("bar.sync 0;"); }
int main() { int *d, h[64]; cudaMalloc(&d, sizeof h); run<<<1, 64>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); puts(h[37] == 505 && h[63] == 3131 ? "inline_ptx PASS" : "inline_ptx FAIL"); }
