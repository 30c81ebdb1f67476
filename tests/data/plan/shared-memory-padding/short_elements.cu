// kernel=block_max line=16 finding=KO103
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr unsigned Width = 128;

// the largest of Width values, in place
__global__ void block_max(const short *values, short *largest)
{
    __shared__ short best[Width];
    const unsigned thread = threadIdx.x;
    best[thread] = values[blockIdx.x * Width + thread];
    __syncthreads();
    for (unsigned stride = 1; stride < Width; stride *= 2) {
        if (thread < Width / (2 * stride)) best[2 * stride * thread] = max(best[2 * stride * thread], best[2 * stride * thread + stride]);
        __syncthreads();
    }
    if (thread == 0) largest[blockIdx.x] = best[0];
}

int main()
{
    const int blocks = 5;
    std::vector<short> h(blocks * Width), r(blocks);
    for (size_t i = 0; i < h.size(); ++i) h[i] = short(i * 7919 % 10007);
    short *in, *out;
    cudaMalloc(&in, h.size() * sizeof(short));
    cudaMalloc(&out, blocks * sizeof(short));
    cudaMemcpy(in, h.data(), h.size() * sizeof(short), cudaMemcpyHostToDevice);
    block_max<<<blocks, Width>>>(in, out);
    cudaMemcpy(r.data(), out, blocks * sizeof(short), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int b = 0; b < blocks; ++b) bad += r[b] != *std::max_element(h.begin() + b * Width, h.begin() + (b + 1) * Width);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
