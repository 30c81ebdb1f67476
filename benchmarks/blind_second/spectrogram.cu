// Short-time Fourier transform: power of a real signal over time and frequency, in decibels.
//
//     spectrogram FRAMES LOG2_LENGTH        (LOG2_LENGTH from 7 to 11; frames overlap by three quarters)
//
// A block transforms two frames at once, one in the real and one in the imaginary part, within shared memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                          \
    do {                                                                                          \
        cudaError_t status_ = (call);                                                             \
        if (status_ != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            std::exit(1);                                                                         \
        }                                                                                         \
    } while (0)

static constexpr int kMaxLength = 2048;

// roots: exp(-2 pi i k / N) for k < N / 2
template <int LOG2>
__global__ void __launch_bounds__((1 << LOG2) / 4)
stft(const float* __restrict__ signal, const float* __restrict__ window, const float2* __restrict__ roots, float* __restrict__ power,
     int frames, int hop)
{
    constexpr int N = 1 << LOG2;
    constexpr int T = N / 4;  // threads; each does two butterflies per stage
    __shared__ float2 data[N];
    __shared__ float2 twiddle[N / 2];

    const int t = threadIdx.x;
    const int first = 2 * blockIdx.x;
    const bool pair = first + 1 < frames;
    const float* a = signal + static_cast<size_t>(first) * hop;
    const float* b = a + hop;

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int k = t + i * T;
        const float w = __ldg(window + k);
        const int reversed = __brev(static_cast<unsigned>(k)) >> (32 - LOG2);
        data[reversed] = make_float2(a[k] * w, pair ? b[k] * w : 0.0f);
    }
    twiddle[t] = __ldg(roots + t);
    twiddle[t + T] = __ldg(roots + t + T);
    __syncthreads();

#pragma unroll
    for (int stage = 0; stage < LOG2; ++stage) {
        const int half = 1 << stage;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int j = t + i * T;
            const int within = j & (half - 1);
            const int low = ((j - within) << 1) + within;
            const float2 w = twiddle[within << (LOG2 - 1 - stage)];
            const float2 u = data[low];
            const float2 v = data[low + half];
            const float re = v.x * w.x - v.y * w.y;
            const float im = v.x * w.y + v.y * w.x;
            data[low] = make_float2(u.x + re, u.y + im);
            data[low + half] = make_float2(u.x - re, u.y - im);
        }
        __syncthreads();
    }

    // The spectra of the two real frames are the even and the odd part.
    constexpr int bins = N / 2 + 1;
    float* out = power + static_cast<size_t>(first) * bins;
    for (int k = t; k < bins; k += T) {
        const float2 p = data[k];
        const float2 q = data[(N - k) & (N - 1)];
        const float ar = 0.5f * (p.x + q.x), ai = 0.5f * (p.y - q.y);
        const float br = 0.5f * (p.y + q.y), bi = 0.5f * (q.x - p.x);
        out[k] = 10.0f * log10f(ar * ar + ai * ai + 1e-6f);
        if (pair) out[bins + k] = 10.0f * log10f(br * br + bi * bi + 1e-6f);
    }
}

template <int LOG2>
static void launch(const float* signal, const float* window, const float2* roots, float* power, int frames)
{
    constexpr int N = 1 << LOG2;
    stft<LOG2><<<(frames + 1) / 2, N / 4>>>(signal, window, roots, power, frames, N / 4);
    CUDA_CHECK(cudaGetLastError());
}

int main(int argc, char** argv)
{
    const int frames = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int log2 = argc > 2 ? std::atoi(argv[2]) : 9;
    if (frames < 1 || log2 < 7 || (1 << log2) > kMaxLength) {
        std::fprintf(stderr, "usage: spectrogram FRAMES LOG2_LENGTH\n");
        return 1;
    }
    const int n = 1 << log2, hop = n / 4, bins = n / 2 + 1;
    const size_t samples = static_cast<size_t>(frames - 1) * hop + n;

    // A slow chirp, a constant tone and a little noise.
    std::vector<float> signal(samples), window(n);
    std::vector<float2> roots(n / 2);
    unsigned state = 7;
    for (size_t i = 0; i < samples; ++i) {
        const double x = static_cast<double>(i) / samples;
        state = state * 1664525u + 1013904223u;
        signal[i] = static_cast<float>(std::sin(0.6 * i * (0.2 + x)) + 0.5 * std::sin(0.9 * i) + 0.01 * ((state >> 8) / 16777216.0 - 0.5));
    }
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < n; ++i) window[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * pi * i / n));
    for (int i = 0; i < n / 2; ++i)
        roots[i] = make_float2(static_cast<float>(std::cos(2 * pi * i / n)), static_cast<float>(-std::sin(2 * pi * i / n)));

    float *d_signal, *d_window, *d_power;
    float2* d_roots;
    CUDA_CHECK(cudaMalloc(&d_signal, samples * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_window, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_roots, n / 2 * sizeof(float2)));
    CUDA_CHECK(cudaMalloc(&d_power, static_cast<size_t>(frames) * bins * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_signal, signal.data(), samples * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_window, window.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_roots, roots.data(), n / 2 * sizeof(float2), cudaMemcpyHostToDevice));

    switch (log2) {
        case 7: launch<7>(d_signal, d_window, d_roots, d_power, frames); break;
        case 8: launch<8>(d_signal, d_window, d_roots, d_power, frames); break;
        case 9: launch<9>(d_signal, d_window, d_roots, d_power, frames); break;
        case 10: launch<10>(d_signal, d_window, d_roots, d_power, frames); break;
        default: launch<11>(d_signal, d_window, d_roots, d_power, frames); break;
    }

    std::vector<float> power(static_cast<size_t>(frames) * bins);
    CUDA_CHECK(cudaMemcpy(power.data(), d_power, power.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float p : power) sum += p;
    std::printf("mean %.3f dB\n", sum / power.size());
    for (int k = 0; k < 4; ++k) {
        const float* row = power.data() + static_cast<size_t>(frames - 1) * k / 3 * bins;
        int loudest = 0;
        for (int j = 1; j < bins; ++j)
            if (row[j] > row[loudest]) loudest = j;
        std::printf("frame %d: bin %d, %.2f dB\n", (frames - 1) * k / 3, loudest, row[loudest]);
    }

    CUDA_CHECK(cudaFree(d_signal));
    CUDA_CHECK(cudaFree(d_window));
    CUDA_CHECK(cudaFree(d_roots));
    CUDA_CHECK(cudaFree(d_power));
    return 0;
}
