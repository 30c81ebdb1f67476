// Kernels with parameter packs, and template parameters of every kind.
#include <cstdio>
enum Operation { ADD, MULTIPLY };
enum class Mode { FAST = 1, SLOW = 2 };
template <class T, int... Ns> struct List {};
template <class... Ts> struct Types {};
template <class T> struct Negate { __device__ T operator()(T x) const { return -x; } };
__device__ float twice(float x) { return 2 * x; }
template <typename... Ts> __global__ void by_value(float* out, Ts... xs) { out[threadIdx.x] = (0.0f + ... + float(xs)); }
template <typename... Ts> __global__ void const_values(float* out, const Ts... xs) { out[threadIdx.x] = (0.0f + ... + float(xs)); }
template <typename... Ts> __global__ void pointers(float* out, const Ts* __restrict__... xs) { out[threadIdx.x] = (0.0f + ... + float(xs[threadIdx.x])); }
template <typename T, int... Ns> __global__ void of_list(List<T, Ns...>, float* out) { out[threadIdx.x] = T((0 + ... + Ns)); }
template <typename... Ts> __global__ void of_types(Types<Ts...> types, float* out) { out[threadIdx.x] = sizeof...(Ts); }
template <float (*F)(float)> __global__ void by_function(float* out, float x) { out[threadIdx.x] = F(x); }
template <float (*)(float), typename T> __global__ void by_unused_function(T* out, T x) { out[threadIdx.x] = x; }
template <template <class> class C> __global__ void by_template(float* out, float x) { out[threadIdx.x] = C<float>()(x); }
template <Operation O, Mode M> __global__ void by_enum(float* out, float x) { out[threadIdx.x] = O == ADD ? x + int(M) : x * int(M); }
template <auto V> __global__ void by_auto(float* out) { out[threadIdx.x] = float(V); }
template <> __global__ void by_auto<7>(float* out) { out[threadIdx.x] = 70; }
template <typename T = float, int N = 4> __global__ void defaults(T* out) { out[threadIdx.x] = N; }
int bad_count = 0;
float* out;
void expect(float wanted, int line) {
  float got;
  cudaMemcpy(&got, out + 31, sizeof got, cudaMemcpyDeviceToHost);
  if (got != wanted) printf("line %d: %g, not %g\n", line, got, wanted), bad_count++;
}
int main() {
  int* ints; cudaMalloc(&out, 128); cudaMalloc(&ints, 128); cudaMemset(ints, 0, 128); cudaMemset(out, 0, 128);
  by_value<<<1, 32>>>(out, 1, 2.5f, 'a'); expect(100.5f, __LINE__);
  by_value<<<1, 32>>>(out); expect(0, __LINE__);
  const_values<<<1, 32>>>(out, 1, 2.5); expect(3.5f, __LINE__);
  pointers<<<1, 32>>>(out, out, ints); expect(3.5f, __LINE__);
  of_list<<<1, 32>>>(List<int, 1, 2, 3>(), out); expect(6, __LINE__);
  of_types<<<1, 32>>>(Types<int, float>(), out); expect(2, __LINE__);
  by_function<twice><<<1, 32>>>(out, 4.0f); expect(8, __LINE__);
  by_unused_function<twice><<<1, 32>>>(out, 5.0f); expect(5, __LINE__);
  by_template<Negate><<<1, 32>>>(out, 4.0f); expect(-4, __LINE__);
  by_enum<ADD, Mode::SLOW><<<1, 32>>>(out, 5.0f); expect(7, __LINE__);
  by_enum<MULTIPLY, Mode::SLOW><<<1, 32>>>(out, 5.0f); expect(10, __LINE__);
  by_auto<3><<<1, 32>>>(out); expect(3, __LINE__);
  by_auto<'a'><<<1, 32>>>(out); expect(97, __LINE__);
  by_auto<7><<<1, 32>>>(out); expect(70, __LINE__);
  defaults<<<1, 32>>>(out); expect(4, __LINE__);
  defaults<><<<1, 32>>>(out); expect(4, __LINE__);
  puts(bad_count ? "template_kernels FAIL" : "template_kernels PASS"); return bad_count;
}
