// kernel=peak_kernel line=15 finding=KO118
#include <algorithm>
#include <cstdio>
#include <vector>

namespace audio {

constexpr int kBlock = 64;

// loudest sample of every channel, and how often it comes near to it
__global__ void peak_kernel(const short *samples, long pitch, int length, int *peaks, int *loud)
{
    __shared__ int values[kBlock];
    int peak = 0;
    const bool aligned = reinterpret_cast<size_t>(samples + blockIdx.x * pitch) % 16 == 0;
    const int vector_end = aligned ? length - length % 8 : 0;
    for (int first = threadIdx.x * 8; first < vector_end; first += kBlock * 8)
    {
        alignas(16) short samples8[8];
        *reinterpret_cast<int4 *>(samples8) = *reinterpret_cast<const int4 *>(samples + blockIdx.x * pitch + first);
        #pragma unroll
        for (int k = 0; k < 8; ++k)
        {
            int s = samples8[k];
            peak = max(peak, s < 0 ? -s : s);
        }
    }
    for (int i = vector_end + threadIdx.x; i < length; i += kBlock)
    {
        int s = samples[blockIdx.x * pitch + i];
        peak = max(peak, s < 0 ? -s : s);
    }
    values[threadIdx.x] = peak;
    __syncthreads();
    for (int half = kBlock / 2; half >= 1; half /= 2)
    {
        if (threadIdx.x < half)
            values[threadIdx.x] = max(values[threadIdx.x], values[threadIdx.x + half]);
        __syncthreads();
    }
    peak = values[0];
    if (threadIdx.x == 0)
        peaks[blockIdx.x] = peak;
    __syncthreads();

    int near = 0;
    for (int first = threadIdx.x * 8; first < vector_end; first += kBlock * 8)
    {
        alignas(16) short samples8[8];
        *reinterpret_cast<int4 *>(samples8) = *reinterpret_cast<const int4 *>(samples + blockIdx.x * pitch + first);
        #pragma unroll
        for (int k = 0; k < 8; ++k)
        {
            int s = samples8[k];
            near += (s < 0 ? -s : s) * 10 >= peak * 9;
        }
    }
    for (int i = vector_end + threadIdx.x; i < length; i += kBlock)
    {
        int s = samples[blockIdx.x * pitch + i];
        near += (s < 0 ? -s : s) * 10 >= peak * 9;
    }
    values[threadIdx.x] = near;
    __syncthreads();
    for (int half = kBlock / 2; half >= 1; half /= 2)
    {
        if (threadIdx.x < half)
            values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        loud[blockIdx.x] = values[0];
}

} // namespace audio

int main()
{
    const int channels = 6, length = 5003;
    const long pitch = 5008;
    std::vector<short> samples(channels * pitch);
    for (size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<short>((i * 40503) % 65521 - 32760);
    short *d_samples;
    int *d_peaks, *d_loud;
    cudaMalloc(&d_samples, samples.size() * sizeof(short));
    cudaMalloc(&d_peaks, channels * sizeof(int));
    cudaMalloc(&d_loud, channels * sizeof(int));
    cudaMemcpy(d_samples, samples.data(), samples.size() * sizeof(short), cudaMemcpyHostToDevice);
    audio::peak_kernel<<<channels, audio::kBlock>>>(d_samples, pitch, length, d_peaks, d_loud);
    int peaks[channels], loud[channels];
    cudaMemcpy(peaks, d_peaks, sizeof(peaks), cudaMemcpyDeviceToHost);
    cudaMemcpy(loud, d_loud, sizeof(loud), cudaMemcpyDeviceToHost);
    for (int c = 0; c < channels; ++c)
        printf("%d: %d %d\n", c, peaks[c], loud[c]);
    cudaFree(d_samples);
    cudaFree(d_peaks);
    cudaFree(d_loud);
}
