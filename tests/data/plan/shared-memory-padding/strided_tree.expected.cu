// kernel=block_max line=16 finding=KO103
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr unsigned Width = 128;

// One element more after each 16: strides of powers of two meet different banks.
__device__ __forceinline__ int padded(int i)
{
    return i + (i >> 4);
}

// the largest of Width values, in place
__global__ void block_max(const double *values, double *largest)
{
    __shared__ double best[Width + Width / 16];
    const unsigned thread = threadIdx.x;
    best[padded(thread)] = values[blockIdx.x * Width + thread];
    __syncthreads();
    for (unsigned stride = 1; stride < Width; stride *= 2) {
        if (thread < Width / (2 * stride)) best[padded(2 * stride * thread)] = fmax(best[padded(2 * stride * thread)], best[padded(2 * stride * thread + stride)]);
        __syncthreads();
    }
    if (thread == 0) largest[blockIdx.x] = best[0];
}

int main()
{
    const int blocks = 5;
    std::vector<double> h(blocks * Width), r(blocks);
    for (size_t i = 0; i < h.size(); ++i) h[i] = double(i * 7919 % 10007);
    double *in, *out;
    cudaMalloc(&in, h.size() * sizeof(double));
    cudaMalloc(&out, blocks * sizeof(double));
    cudaMemcpy(in, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    block_max<<<blocks, Width>>>(in, out);
    cudaMemcpy(r.data(), out, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int b = 0; b < blocks; ++b) bad += r[b] != *std::max_element(h.begin() + b * Width, h.begin() + (b + 1) * Width);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
