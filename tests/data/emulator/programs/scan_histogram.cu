// Prefix sum, privatised histogram, compaction, bitonic sort.
#include <cstdio>
#include <vector>
#include <algorithm>
constexpr int kThreads = 128;
__global__ void scan_block(int* data, int* sums, int n) { extern __shared__ int temp[]; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; temp[t] = i < n ? data[i] : 0; __syncthreads(); for (int d = 1; d < blockDim.x; d <<= 1) { int v = t >= d ? temp[t - d] : 0; __syncthreads(); temp[t] += v; __syncthreads(); } if (i < n) data[i] = temp[t]; if (t == blockDim.x - 1) sums[blockIdx.x] = temp[t]; }
__global__ void add_sums(int* data, const int* sums, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (blockIdx.x > 0 && i < n) data[i] += sums[blockIdx.x - 1]; }
__global__ void histogram(const unsigned char* in, unsigned int* bins, size_t n) { __shared__ unsigned int local[256]; for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0u; __syncthreads(); for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < n; i += (size_t)blockDim.x * gridDim.x) atomicAdd(&local[in[i]], 1u); __syncthreads(); for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(bins + b, local[b]); }
__global__ void compact(const int* in, int* out, int* count, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; bool keep = i < n && in[i] % 3 == 0; unsigned m = __ballot_sync(0xffffffffu, keep); int base = 0, leader = __ffs(m) - 1; if (m && lane == leader) base = atomicAdd(count, __popc(m)); base = __shfl_sync(0xffffffffu, base, leader < 0 ? 0 : leader); if (keep) out[base + __popc(m & ((1u << lane) - 1))] = in[i]; }
__global__ void bitonic(int* v, int j, int k) { unsigned i = threadIdx.x + blockDim.x * blockIdx.x, p = i ^ j; if (p > i) { bool up = (i & k) == 0; if ((v[i] > v[p]) == up) { int t = v[i]; v[i] = v[p]; v[p] = t; } } }
int main() {
  const int n = 1024; std::vector<int> h(n), r(n); for (int i = 0; i < n; i++) h[i] = (i * 37) % 101; int *d, *s, *c; cudaMalloc(&d, n * sizeof(int)); cudaMalloc(&s, n * sizeof(int)); cudaMalloc(&c, sizeof(int)); auto put = [&] { cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice); }; auto get = [&](int* p) { cudaMemcpy(r.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost); }; int bad = 0;
  put(); int blocks = n / kThreads; scan_block<<<blocks, kThreads, kThreads * sizeof(int)>>>(d, s, n); scan_block<<<1, kThreads, kThreads * sizeof(int)>>>(s, c, blocks); add_sums<<<blocks, kThreads>>>(d, s, n); get(d); int total = 0; for (int i = 0; i < n; i++) { total += h[i]; bad += r[i] != total; }
  cudaMemset(s, 0, 1024); histogram<<<4, kThreads>>>((unsigned char*)d, (unsigned*)s, n * sizeof(int)); get(s); int seen = 0; for (int b = 0; b < 256; b++) seen += r[b]; bad += seen != n * 4;
  put(); cudaMemset(c, 0, 4); compact<<<blocks, kThreads>>>(d, s, c, n); int kept; cudaMemcpy(&kept, c, 4, cudaMemcpyDeviceToHost); bad += kept != (int)std::count_if(h.begin(), h.end(), [](int x) { return x % 3 == 0; });
  put(); for (int k = 2; k <= n; k <<= 1) for (int j = k >> 1; j > 0; j >>= 1) bitonic<<<blocks, kThreads>>>(d, j, k); get(d); bad += !std::is_sorted(r.begin(), r.end()); std::printf("scan_histogram %s\n", bad ? "FAIL" : "PASS"); return bad;
}
