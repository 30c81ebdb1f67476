// Every way in which a launch may be written.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T, typename U> struct Pair { T a; U b; };
template <typename T> struct Box { T value; };

__global__ void plain(int* out, int value) { out[threadIdx.x] = value; }
template <typename T> __global__ void deduced(T* out, T value) { out[threadIdx.x] = value; }
template <int N, typename T = int> __global__ void explicit_count(T* out) { out[threadIdx.x] = N; }
template <typename T> __global__ void nested(int* out, T box) { out[threadIdx.x] = box.value.value; }
__global__ void overloaded(int* out, int) { out[threadIdx.x] = 1; }
__global__ void overloaded(int* out, float) { out[threadIdx.x] = 2; }
__global__ void with_default(int* out, int value = 42) { out[threadIdx.x] = value; }
template <typename... A> __global__ void packed(int* out, A... values) { out[threadIdx.x] = (0 + ... + (int)values); }
__global__ void no_arguments() {}
template <> __global__ void deduced<double>(double* out, double value) { out[threadIdx.x] = value + 0.5; }
namespace outer { namespace inner { template <int N> __global__ void scoped(int* out) { out[threadIdx.x] = N; } } }
namespace { __global__ void hidden(int* out) { out[threadIdx.x] = 77; } }
static __global__ void __launch_bounds__(128, 2) bounded(int* __restrict__ out, const int) { out[threadIdx.x] = 5; }
extern "C" __global__ void c_linkage(int* out) { out[threadIdx.x] = 6; }
__global__ void declared_first(int* out, int value = 9);

#define RUN(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#define RUN_TYPED(suffix, ...) deduc##suffix<<<1, 32>>>(__VA_ARGS__)
#define FORWARD(kernel, out) do { RUN(kernel, out, 11); } while (0)

template <typename T> struct Runner {
  int* out;
  void (*stored)(int*, int);
  void go() { outer::inner::scoped<sizeof(T)><<<1, 32>>>(out); }
  void go_stored() { this->stored<<<dim3(1), dim3(32)>>>(out, 12); }
};

static int* d;
static int failures;
static void expect(const char* what, int value) {
  int h[32];
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int v : h)
    if (v != value) { printf("%s: %d is not %d\n", what, v, value); failures++; return; }
}

int main() {
  cudaMalloc(&d, 64 * sizeof(double));
  plain<<<1, 32>>>(d, 3); expect("plain", 3);
  plain<<<1, 32, 0, 0>>>(d, 3.9); expect("converted", 3);
  deduced<<<1, 32>>>(d, 4); expect("deduced", 4);
  deduced<int> <<< 1 , 32 >>> (d, 'A'); expect("explicit", 65);
  explicit_count<7><<<1, 32>>>(d); expect("count", 7);
  explicit_count<(3 > 2) ? 8 : 9, int><<<1, 32>>>(d); expect("expression", 8);
  nested<Box<Box<int>>><<<1, 32>>>(d, Box<Box<int>>{{13}}); expect("nested", 13);
  overloaded<<<1, 32>>>(d, 1); expect("int", 1);
  overloaded<<<1, 32>>>(d, 1.0f); expect("float", 2);
  with_default<<<1, 32>>>(d); expect("default", 42);
  packed<<<1, 32>>>(d, 1, 2.0f, (char)3); expect("pack", 6);
  outer::inner::scoped<21><<<1, 32>>>(d); expect("scoped", 21);
  ::outer::inner::scoped<22><<<1, 32>>>(d); expect("global scope", 22);
  hidden<<<1, 32>>>(d); expect("hidden", 77);
  bounded<<<1, 32>>>(d, 0); expect("bounded", 5);
  c_linkage<<<1, 32>>>(d); expect("extern C", 6);
  declared_first<<<1, 32>>>(d); expect("declared", 9);
  no_arguments<<<1, 1>>>();
  RUN(plain, d, 10); expect("macro", 10);
  RUN(deduced, d, 14); expect("macro, deduced", 14);
  RUN(deduced<int>, d, 15); expect("macro, explicit", 15);
  RUN(outer::inner::scoped<16>, d); expect("macro, scoped", 16);
  RUN_TYPED(ed, d, 17); expect("pasted", 17);
  FORWARD(plain, d); expect("macro in macro", 11);
  void (*pointer)(int*, int) = plain;
  pointer<<<1, 32>>>(d, 18); expect("pointer", 18);
  auto chosen = d ? deduced<int> : nullptr;
  chosen<<<1, 32>>>(d, 19); expect("chosen", 19);
  void (*table[])(int*, int) = {plain, deduced<int>, bounded};
  table[2]<<<1, 32>>>(d, 0); expect("table", 5);
  Runner<double> runner{d, plain};
  runner.go(); expect("member", 8);
  runner.go_stored(); expect("stored", 12);
  [&] { plain<<<1, 32>>>(d, 20); }(); expect("lambda", 20);
  deduced<<<1, 32>>>((double*)d, 1.0);
  double h; cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost);
  if (h != 1.5) { printf("specialised: %f\n", h); failures++; }
  if (cudaDeviceSynchronize() != cudaSuccess) failures++;
  puts(failures ? "launch_forms FAIL" : "launch_forms PASS");
  return failures;
}
__global__ void declared_first(int* out, int value) { out[threadIdx.x] = value; }
