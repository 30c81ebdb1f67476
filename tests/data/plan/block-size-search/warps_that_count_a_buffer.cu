// kernel=peaks line=15 finding=KO127
#include <algorithm>
#include <cstdio>
#include <vector>

namespace cfg {
constexpr int kWarps = 1;
constexpr int kThreads = kWarps * 32;
}  // namespace cfg
using namespace cfg;

__global__ __launch_bounds__(kThreads) void peaks(int* out, const int* lists, int length, int count)
{
    const int tid = threadIdx.x;
    const int wid = tid / 32;
    const int lid = tid % 32;
    for (int list = blockIdx.x * kWarps + wid; list < count; list += gridDim.x * kWarps) {
        int best = -2147483647;
        for (int i = lid; i < length; i += 32) best = max(best, lists[list * length + i]);
#pragma unroll
        for (int d = 1; d < 32; d *= 2) best = max(best, __shfl_xor_sync(0xffffffff, best, d));
        if (lid == 0) out[list] = best;
    }
}

int main()
{
    const int count = 3011, length = 45;
    std::vector<int> h(count * length), r(count);
    for (int i = 0; i < count * length; ++i) h[i] = i * 7919 % 10007;
    int *in, *out;
    cudaMalloc(&in, h.size() * sizeof(int));
    cudaMalloc(&out, (count + kThreads) * sizeof(int));
    cudaMemcpy(in, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    peaks<<<(count + kWarps - 1) / kWarps, kThreads>>>(out, in, length, count);
    cudaMemcpy(r.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < count; ++i) bad += r[i] != *std::max_element(h.begin() + i * length, h.begin() + (i + 1) * length);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
