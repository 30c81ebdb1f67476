// 44.1 kHz -> 48 kHz sample rate conversion with a windowed-sinc (Blackman) interpolator
// interleaved float, any number of channels
//
// resample <frames> <channels> <half width>

#include <iostream>
#include <iomanip>
#include <vector>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

static const int RATE_IN = 44100;
static const int RATE_OUT = 48000;

void gpuAssert(cudaError_t code, int line)
{
    if (code != cudaSuccess) {
        std::cerr << "GPU error: " << cudaGetErrorString(code) << " line " << line << std::endl;
        std::exit(1);
    }
}
#define gpuErrchk(x) gpuAssert((x), __LINE__)

__device__ float sinc(float x)
{
    if (fabs(x) < 1e-6)
        return 1.0;
    return sin(M_PI * x) / (M_PI * x);
}

__device__ float blackman(float x, int half)
{
    // x in [-half, half]
    float t = x / half;
    if (fabs(t) >= 1)
        return 0;
    return 0.42 + 0.5 * cosf(3.14159265f * t) + 0.08 * cosf(2 * 3.14159265f * t);
}

// grid.y = channel
__global__ void resample(const float *in, float *out, int framesIn, int framesOut, int channels, int half)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int ch = blockIdx.y;
    if (n >= framesOut)
        return;

    // position in the input: whole part exactly, the rest as a fraction
    long long num = (long long)n * RATE_IN;
    int whole = num / RATE_OUT;
    float frac = (float)(num % RATE_OUT) / RATE_OUT;

    float acc = 0, norm = 0;
    for (int k = -half + 1; k <= half; k++) {
        float w = sinc(k - frac) * blackman(k - frac, half);
        int i = whole + k;
        if (i >= 0 && i < framesIn)
            acc += w * in[i * channels + ch];
        norm += w;
    }
    out[n * channels + ch] = acc / norm;
}

// peak and energy per block of 1024 frames, for the level meter
__global__ void levels(const float *x, float *peak, float *energy, int frames, int channels)
{
    int block = blockIdx.x;
    int ch = threadIdx.x;
    if (ch >= channels)
        return;
    float p = 0, e = 0;
    for (int i = block * 1024; i < (block + 1) * 1024 && i < frames; i++) {
        float v = x[i * channels + ch];
        p = fmaxf(p, fabsf(v));
        e += v * v;
    }
    peak[block * channels + ch] = p;
    energy[block * channels + ch] = e;
}

int main(int argc, char **argv)
{
    int framesIn = argc > 1 ? std::atoi(argv[1]) : 441000;
    int channels = argc > 2 ? std::atoi(argv[2]) : 2;
    int half = argc > 3 ? std::atoi(argv[3]) : 16;
    int framesOut = (int)((long long)framesIn * RATE_OUT / RATE_IN);

    // two tones per channel, the second one slowly beating
    std::vector<float> in((size_t)framesIn * channels);
    for (int i = 0; i < framesIn; i++)
        for (int c = 0; c < channels; c++)
            in[(size_t)i * channels + c] = 0.5 * std::sin(2 * M_PI * std::fmod(440.0 * (c + 1) * i / RATE_IN, 1.0)) +
                                           0.3 * std::sin(2 * M_PI * std::fmod((6000.0 + 10 * c) * i / RATE_IN, 1.0));

    float *dIn, *dOut, *dPeak, *dEnergy;
    int blocksOut = (framesOut + 1023) / 1024;
    gpuErrchk(cudaMalloc(&dIn, in.size() * sizeof(float)));
    gpuErrchk(cudaMalloc(&dOut, (size_t)framesOut * channels * sizeof(float)));
    gpuErrchk(cudaMalloc(&dPeak, (size_t)blocksOut * channels * sizeof(float)));
    gpuErrchk(cudaMalloc(&dEnergy, (size_t)blocksOut * channels * sizeof(float)));
    gpuErrchk(cudaMemcpy(dIn, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 grid((framesOut + 255) / 256, channels);
    resample<<<grid, 256>>>(dIn, dOut, framesIn, framesOut, channels, half);
    gpuErrchk(cudaPeekAtLastError());
    levels<<<blocksOut, 32>>>(dOut, dPeak, dEnergy, framesOut, channels);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());

    std::vector<float> out((size_t)framesOut * channels), peak((size_t)blocksOut * channels), energy((size_t)blocksOut * channels);
    gpuErrchk(cudaMemcpy(out.data(), dOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(peak.data(), dPeak, peak.size() * sizeof(float), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(energy.data(), dEnergy, energy.size() * sizeof(float), cudaMemcpyDeviceToHost));

    std::cout << std::fixed << std::setprecision(4);
    for (int c = 0; c < channels && c < 4; c++) {
        float p = 0;
        double e = 0;
        for (int b = 0; b < blocksOut; b++) {
            p = std::max(p, peak[(size_t)b * channels + c]);
            e += energy[(size_t)b * channels + c];
        }
        std::cout << "channel " << c << ": peak " << p << ", rms " << std::sqrt(e / framesOut) << ", samples";
        for (int i = 1; i <= 3; i++)
            std::cout << " " << out[(size_t)(framesOut / 4 * i) * channels + c];
        std::cout << "\n";
    }

    cudaFree(dIn);
    cudaFree(dOut);
    cudaFree(dPeak);
    cudaFree(dEnergy);
    return 0;
}
