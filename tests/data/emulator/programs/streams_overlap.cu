// Chunked pipeline over streams with pinned memory, as in a tutorial.
#include <iostream>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
using std::cout; using std::endl;
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
template <typename T> void check(T result, char const* const func, const char* const file, int const line) { if (result) { std::cerr << "CUDA error at " << file << ":" << line << " code=" << static_cast<unsigned int>(result) << "(" << cudaGetErrorName(result) << ") \"" << func << "\"" << endl; exit(EXIT_FAILURE); } }
__global__ void square(float* data, int offset, int n) { int i = offset + blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] *= data[i]; }
int main() {
  const int n = 1 << 12, streams = 4, chunk = n / streams; float *h, *d; checkCudaErrors(cudaHostAlloc(&h, n * sizeof(float), cudaHostAllocDefault)); checkCudaErrors(cudaMalloc(&d, n * sizeof(float))); for (int i = 0; i < n; ++i) h[i] = float(i % 50);
  cudaStream_t s[streams]; int low, high; checkCudaErrors(cudaDeviceGetStreamPriorityRange(&low, &high)); for (auto& x : s) checkCudaErrors(cudaStreamCreateWithPriority(&x, cudaStreamNonBlocking, high));
  for (int k = 0; k < streams; ++k) { int o = k * chunk; checkCudaErrors(cudaMemcpyAsync(h + o == nullptr ? nullptr : d + o, h + o, chunk * sizeof(float), cudaMemcpyHostToDevice, s[k])); square<<<(chunk + 255) / 256, 256, 0, s[k]>>>(d, o, o + chunk); checkCudaErrors(cudaGetLastError()); checkCudaErrors(cudaMemcpyAsync(h + o, d + o, chunk * sizeof(float), cudaMemcpyDeviceToHost, s[k])); }
  checkCudaErrors(cudaDeviceSynchronize()); bool ok = true; for (int i = 0; i < n; ++i) ok = ok && h[i] == float(i % 50) * float(i % 50); for (auto& x : s) checkCudaErrors(cudaStreamDestroy(x)); checkCudaErrors(cudaFreeHost(h)); checkCudaErrors(cudaFree(d)); cout << (ok ? "streams_overlap PASS" : "streams_overlap FAIL") << endl; return !ok;
}
