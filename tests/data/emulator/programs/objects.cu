// Classes on the device: virtual functions, new and delete, arguments with destructors, operator overloads, lambdas.
#include <cstdio>
#include <cuda_runtime.h>
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float s; __device__ explicit Square(float v) : s(v) {} __device__ float area() const override { return s * s; } };
struct Circle : Shape { float r; __device__ explicit Circle(float v) : r{v} {} __device__ float area() const override { return 3.0f * r * r; } };
template <typename T> class Array {
  T* data_; int n_; bool owner_;
 public:
  static int freed;
  explicit Array(int n) : data_(nullptr), n_(n), owner_(true) { cudaMalloc(&data_, n * sizeof(T)); }
  Array(const Array& o) : data_(o.data_), n_(o.n_), owner_(false) {}
  ~Array() { if (owner_) { cudaFree(data_); freed++; } }
  __host__ __device__ T& operator[](int i) { return data_[i]; }
  __host__ __device__ int size() const { return n_; }
  T* get() const { return data_; }
};
template <typename T> int Array<T>::freed = 0;
struct Vec { float x, y; __host__ __device__ Vec operator+(const Vec& o) const { return {x + o.x, y + o.y}; } __host__ __device__ friend Vec operator*(float a, Vec v) { return {a * v.x, a * v.y}; } };
__global__ void fill(Array<float> a) { if (threadIdx.x < a.size()) a[threadIdx.x] = threadIdx.x; }
__global__ void shapes(float* out) { Shape* s = threadIdx.x % 2 ? (Shape*)new Square(2) : (Shape*)new Circle(1); out[threadIdx.x] = s->area(); delete s; int* scratch = (int*)malloc(16); scratch[3] = 1; out[threadIdx.x] += scratch[3]; free(scratch); float* many = new float[4]; many[2] = 0.5f; out[threadIdx.x] += many[2]; delete[] many; }
template <typename F> __global__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
__global__ void vectors(Vec* v) { v[threadIdx.x] = 2.0f * v[threadIdx.x] + Vec{1, 1}; }
int main() {
  bool ok = true; float h[32];
  { Array<float> a(32); fill<<<1, 64>>>(a); cudaMemcpy(h, a.get(), sizeof h, cudaMemcpyDeviceToHost); ok &= h[31] == 31; }
  ok &= Array<float>::freed == 1;
  float* d; cudaMalloc(&d, 256); shapes<<<1, 32>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); ok &= h[0] == 4.5f && h[1] == 5.5f;
  float k = 3; each<<<2, 16>>>(32, [=] __device__(int i) { d[i] = k * i; }); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); ok &= h[5] == 15;
  auto hd = [d] __host__ __device__(int i) mutable { d[i] += 1; }; each<<<1, 32>>>(32, hd); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); ok &= h[5] == 16;
  vectors<<<1, 8>>>((Vec*)d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); ok &= h[1] == 2 * 4 + 1;
  ok &= cudaDeviceSynchronize() == cudaSuccess; puts(ok ? "objects PASS" : "objects FAIL"); return !ok;
}
