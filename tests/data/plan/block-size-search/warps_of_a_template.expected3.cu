// kernel=votes line=10 finding=KO105
#include <cstdio>
#include <vector>

#define WARP 32

template <int WARPS, typename T>
__global__ void __launch_bounds__(WARPS * WARP, 2) votes(unsigned *masks, const T *flags, int words)
{
    const int in_block = threadIdx.x / WARP, lane = threadIdx.x - WARP * in_block;
    const int word = blockIdx.x * WARPS + in_block;
    if (word < words) {
        const unsigned mask = __ballot_sync(0xffffffffu, flags[word * WARP + lane] != 0);
        if (lane == 0) masks[word] = mask;
    }
}

int main()
{
    const int words = 1001;
    std::vector<char> h(words * WARP);
    std::vector<unsigned> r(words);
    for (int i = 0; i < words * WARP; ++i) h[i] = i % 3 == 0;
    char *flags;
    unsigned *masks;
    cudaMalloc(&flags, h.size());
    cudaMalloc(&masks, words * sizeof(unsigned));
    cudaMemcpy(flags, h.data(), h.size(), cudaMemcpyHostToDevice);
    constexpr int per_block = 16;
    votes<per_block><<<dim3((words + per_block - 1) / per_block), dim3(per_block * WARP)>>>(masks, flags, words);
    cudaMemcpy(r.data(), masks, words * sizeof(unsigned), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < words * WARP; ++i) bad += (r[i / WARP] >> i % WARP & 1) != unsigned(h[i]);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
