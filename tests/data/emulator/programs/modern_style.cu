// C++17: RAII, templates with concepts of old, if constexpr, fold expressions, structured bindings, std::array arguments.
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
namespace detail {
inline void check(cudaError_t code, const char* what, int line) { if (code != cudaSuccess) throw std::runtime_error(std::string(what) + " at " + std::to_string(line) + ": " + cudaGetErrorName(code)); }
struct Deleter { void operator()(void* p) const noexcept { cudaFree(p); } };
}
#define TRY(x) detail::check((x), #x, __LINE__)
template <class T> using device_ptr = std::unique_ptr<T[], detail::Deleter>;
template <class T> [[nodiscard]] device_ptr<T> make_device(std::size_t n) { T* p = nullptr; TRY(cudaMalloc(&p, n * sizeof(T))); return device_ptr<T>(p); }
enum class Op { add, mul };
template <class T, int N> struct Coefficients { T c[N]; };
template <Op op, class T> __device__ constexpr T apply(T a, T b) { if constexpr (op == Op::add) return a + b; else return a * b; }
template <Op op, class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> __global__ void combine(T* __restrict__ out, const T* __restrict__ a, const T* __restrict__ b, std::size_t n) { for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(blockDim.x) * gridDim.x) out[i] = apply<op>(a[i], b[i]); }
template <typename T, int N> __global__ auto polynomial(T* x, Coefficients<T, N> k) -> void { T acc{}; for (int i = N - 1; i >= 0; --i) acc = acc * x[threadIdx.x] + k.c[i]; x[threadIdx.x] = acc; }
template <class F, class... Args> __global__ void invoke_kernel(F f, Args... args) { f(args...); }
struct Sum { template <class... A> __device__ void operator()(int* out, A... a) const { out[threadIdx.x] = (a + ...); } };
template <template <class> class Policy, class T> __global__ void policy(T* out) { out[threadIdx.x] = Policy<T>::value(threadIdx.x); }
template <class T> struct Triple { static __device__ T value(T v) { return 3 * v; } };
int main() try {
  constexpr std::size_t n = 1000; std::vector<float> a(n, 2.f), b(n, 3.f), c(n); auto da = make_device<float>(n), db = make_device<float>(n), dc = make_device<float>(n);
  TRY(cudaMemcpy(da.get(), a.data(), n * sizeof(float), cudaMemcpyHostToDevice)); TRY(cudaMemcpy(db.get(), b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const auto [blocks, threads] = std::pair{4u, 128u}; combine<Op::mul><<<blocks, threads>>>(dc.get(), da.get(), db.get(), n); TRY(cudaGetLastError()); TRY(cudaMemcpy(c.data(), dc.get(), n * sizeof(float), cudaMemcpyDeviceToHost)); bool ok = c.front() == 6.f && c.back() == 6.f;
  combine<Op::add, float><<<dim3{4}, dim3{128}>>>(dc.get(), da.get(), db.get(), n); polynomial<<<1, 32>>>(dc.get(), Coefficients<float, 3>{{1, 2, 3}}); TRY(cudaMemcpy(c.data(), dc.get(), 32 * sizeof(float), cudaMemcpyDeviceToHost)); ok &= c[0] == 1 + 2 * 5 + 3 * 25;
  auto di = make_device<int>(64); invoke_kernel<<<1, 32>>>(Sum{}, di.get(), 1, 2, 3); int h[32]; TRY(cudaMemcpy(h, di.get(), sizeof h, cudaMemcpyDeviceToHost)); ok &= h[3] == 6; policy<Triple><<<1, 32>>>(di.get()); TRY(cudaMemcpy(h, di.get(), sizeof h, cudaMemcpyDeviceToHost)); ok &= h[3] == 9;
  std::puts(ok ? "modern_style PASS" : "modern_style FAIL"); return !ok;
} catch (const std::exception& e) { std::printf("modern_style FAIL %s\n", e.what()); return 1; }
