// 48 kHz -> 16 kHz: low-pass FIR and decimation by 3, many channels.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

template <class T> struct DevBuf {
    T *p = nullptr; size_t n;
    explicit DevBuf(size_t n_) : n(n_) { if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) { std::puts("out of memory"); std::exit(1); } }
    ~DevBuf() { cudaFree(p); }
    void up(const std::vector<T> &v) { cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    void down(std::vector<T> &v) const { cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); }
    DevBuf(const DevBuf &) = delete;
    DevBuf &operator=(const DevBuf &) = delete;
};

constexpr int DECIM = 3;
constexpr int TAPS = 96;
__constant__ float c_taps[TAPS];

// y[ch][n] = sum_k taps[k] * x[ch][3n - k], samples before the start are zero
//
// A block makes OUTS consecutive outputs of one channel. The input window is read once into shared
// memory; each thread keeps PER accumulators whose outputs are BLOCK apart, so that lanes read the
// window with stride 3 (no bank conflicts) and every tap is fetched once for PER products.
constexpr int BLOCK = 128;
constexpr int PER = 4;
constexpr int OUTS = BLOCK * PER;
constexpr int WINDOW = (OUTS - 1) * DECIM + TAPS;

__global__ void __launch_bounds__(BLOCK)
fir_decimate(const float *__restrict__ x, float *__restrict__ y, int nIn, int nOut)
{
    __shared__ float win[WINDOW];
    const int first = blockIdx.x * OUTS;
    const int ch = blockIdx.y;
    const float *xc = x + (size_t)ch * nIn;
    const int origin = first * DECIM - (TAPS - 1);      // input index of win[0]
    for (int j = threadIdx.x; j < WINDOW; j += BLOCK) {
        const int i = origin + j;
        win[j] = (i >= 0 && i < nIn) ? __ldg(xc + i) : 0.0f;
    }
    __syncthreads();

    float acc[PER];
#pragma unroll
    for (int p = 0; p < PER; p++) acc[p] = 0.0f;
    const float *w = win + threadIdx.x * DECIM + (TAPS - 1);
#pragma unroll 8
    for (int k = 0; k < TAPS; k++) {
        const float c = c_taps[k];
#pragma unroll
        for (int p = 0; p < PER; p++)
            acc[p] = fmaf(c, w[p * BLOCK * DECIM - k], acc[p]);
    }
    float *yc = y + (size_t)ch * nOut;
#pragma unroll
    for (int p = 0; p < PER; p++) {
        const int n = first + p * BLOCK + threadIdx.x;
        if (n < nOut) yc[n] = acc[p];
    }
}

int main()
{
    const int channels = 12, nIn = 40001;
    const int nOut = (nIn + DECIM - 1) / DECIM;

    // windowed sinc
    std::vector<float> taps(TAPS);
    double sum = 0;
    std::vector<double> t(TAPS);
    for (int k = 0; k < TAPS; k++) {
        double m = k - (TAPS - 1) / 2.0, fc = 0.155;
        double s = 2 * fc * (m == 0 ? 1.0 : std::sin(2 * M_PI * fc * m) / (2 * M_PI * fc * m));
        t[k] = s * (0.42 - 0.5 * std::cos(2 * M_PI * k / (TAPS - 1)) + 0.08 * std::cos(4 * M_PI * k / (TAPS - 1)));
        sum += t[k];
    }
    for (int k = 0; k < TAPS; k++) taps[k] = (float)(t[k] / sum);

    std::vector<float> x((size_t)channels * nIn), y((size_t)channels * nOut);
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < nIn; i++) {
            unsigned q = (unsigned)(i * 40503u + c * 7919u);
            q ^= q >> 7; q *= 2654435761u;
            x[(size_t)c * nIn + i] = 0.6f * (float)((i * (c + 3)) % 480) / 480.0f - 0.3f + 0.1f * ((q >> 8) / 16777216.0f - 0.5f);
        }

    DevBuf<float> dx(x.size()), dy(y.size());
    dx.up(x);
    cudaMemcpyToSymbol(c_taps, taps.data(), TAPS * sizeof(float));

    dim3 grid((nOut + OUTS - 1) / OUTS, channels);
    fir_decimate<<<grid, BLOCK>>>(dx.p, dy.p, nIn, nOut);

    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { std::printf("kernel failed: %s\n", cudaGetErrorString(err)); return 1; }
    dy.down(y);
    for (int c = 0; c < channels; c += 4) {
        double e = 0;
        for (int n = 0; n < nOut; n++) e += (double)y[(size_t)c * nOut + n] * y[(size_t)c * nOut + n];
        std::printf("ch %2d energy %.6f  first %.7f last %.7f\n", c, e, y[(size_t)c * nOut], y[(size_t)c * nOut + nOut - 1]);
    }
    return 0;
}
