// kernel=histogram line=19 finding=KO110
#include <cstdint>
#include <cstdio>
#include <vector>

template <typename T, int BINS>
__global__ void histogram(const T* __restrict__ samples, uint32_t* __restrict__ result, uint32_t n, T scale)
{
    __shared__ uint32_t bins[BINS];

    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x) { bins[b] = 0u; }
    __syncthreads();

    const uint32_t step = blockDim.x * gridDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&bins[static_cast<uint32_t>(samples[i] * scale) % BINS], 1u);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < BINS; b += blockDim.x) { atomicAdd(result + b, bins[b]); }
}

template <typename T>
static std::vector<uint32_t> count(const std::vector<T>& samples, T scale)
{
    constexpr int kBins = 100;
    std::vector<uint32_t> result(kBins);
    const uint32_t n = static_cast<uint32_t>(samples.size());
    T* d_samples;
    uint32_t* d_result;
    cudaMalloc(&d_samples, n * sizeof(T));
    cudaMalloc(&d_result, kBins * sizeof(uint32_t));
    cudaMemcpy(d_samples, samples.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemset(d_result, 0, kBins * sizeof(uint32_t));
    histogram<T, kBins><<<(n + 256 - 1) / 256, 256>>>(d_samples, d_result, n, scale);
    cudaMemcpy(result.data(), d_result, kBins * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    cudaFree(d_samples);
    cudaFree(d_result);
    return result;
}

int main()
{
    std::vector<float> samples(6001);
    for (size_t i = 0; i < samples.size(); ++i) samples[i] = 0.125f * static_cast<float>(i % 911);
    const auto result = count(samples, 2.0f);
    for (int b = 0; b < 100; b += 11) std::printf("%u ", result[b]);
    std::printf("\n");
}
