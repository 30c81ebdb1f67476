// Objects with virtual functions that one kernel makes, another uses and a third frees.
#include <cstdio>
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float a; __device__ Square(float a) : a(a) {} __device__ float area() const override { return a * a; } };
struct Strip : Shape { float a, b; __device__ Strip(float a) : a(a), b(2) {} __device__ float area() const override { return a * b; } };
__global__ void create(Shape** shapes) {
  if (threadIdx.x & 1) shapes[threadIdx.x] = new Square(threadIdx.x);
  else shapes[threadIdx.x] = new Strip(threadIdx.x);
}
__global__ void areas(Shape** shapes, float* out) { out[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void destroy(Shape** shapes) { delete shapes[threadIdx.x]; }
int main() {
  Shape** shapes; float *out, host[32];
  cudaMalloc(&shapes, 32 * sizeof *shapes); cudaMalloc(&out, sizeof host);
  create<<<1, 32>>>(shapes); areas<<<1, 32>>>(shapes, out); destroy<<<1, 32>>>(shapes);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  return host[5] == 25 && host[4] == 8 ? 0 : 1;
}
