// Tone detector for a long recording that arrives in chunks of int16 PCM.
// Each chunk is uploaded and every frame of it is analysed with a bank of Goertzel filters.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x) do { cudaError_t r = (x); if (r != cudaSuccess) { fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(r)); exit(1); } } while (0)

namespace cfg {
constexpr int kRate = 8000;
constexpr int kFrame = 205;            // DTMF frame
constexpr int kFramesPerChunk = 512;
constexpr int kChunk = kFrame * kFramesPerChunk;
constexpr int kChunks = 8;
constexpr int kTones = 8;
}

__constant__ float c_coeff[cfg::kTones];

__global__ void goertzel(const int16_t *pcm, float *power, int frames)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int f = id / cfg::kTones, t = id % cfg::kTones;
    if (f >= frames) return;
    const int16_t *p = pcm + f * cfg::kFrame;
    float k = c_coeff[t], s1 = 0.f, s2 = 0.f;
    for (int n = 0; n < cfg::kFrame; n++) {
        float s0 = fmaf(k, s1, p[n] * (1.0f / 32768.0f) - s2);
        s2 = s1;
        s1 = s0;
    }
    power[id] = s1 * s1 + s2 * s2 - k * s1 * s2;
}

// stands for the sound card / file reader
class Source {
public:
    void read(int16_t *dst, int n)
    {
        for (int i = 0; i < n; i++, pos_++) {
            int digit = (pos_ / 4000) % 7;
            int p1 = 9 + digit, p2 = 5 + (digit * 3) % 4;
            int v = ((pos_ % p1) * 2 < p1 ? 6000 : -6000) + ((pos_ % p2) * 2 < p2 ? 5000 : -5000);
            seed_ = seed_ * 69069u + 1u;
            dst[i] = (int16_t)(v + (int)(seed_ >> 22) - 512);
        }
    }
private:
    int pos_ = 0;
    uint32_t seed_ = 4711;
};

int main()
{
    using namespace cfg;
    const int freqs[kTones] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
    float coeff[kTones];
    for (int t = 0; t < kTones; t++) coeff[t] = 2.0f * cosf(2.0f * 3.14159265f * freqs[t] / kRate);
    CU(cudaMemcpyToSymbol(c_coeff, coeff, sizeof(coeff)));

    const int outPerChunk = kFramesPerChunk * kTones;
    constexpr int kSlots = 2;
    int16_t *hPcm[kSlots], *dPcm[kSlots];
    float *dPow[kSlots], *hPow;
    cudaStream_t st[kSlots];
    cudaEvent_t uploaded[kSlots];
    CU(cudaMallocHost(&hPow, kChunks * outPerChunk * sizeof(float)));
    for (int s = 0; s < kSlots; s++) {
        CU(cudaMallocHost(&hPcm[s], kChunk * sizeof(int16_t)));
        CU(cudaMalloc(&dPcm[s], kChunk * sizeof(int16_t)));
        CU(cudaMalloc(&dPow[s], outPerChunk * sizeof(float)));
        CU(cudaStreamCreateWithFlags(&st[s], cudaStreamNonBlocking));
        CU(cudaEventCreateWithFlags(&uploaded[s], cudaEventDisableTiming));
    }

    // Two slots: the host reads the next chunk while the GPU works on the previous one.
    Source src;
    for (int c = 0; c < kChunks; c++) {
        const int s = c % kSlots;
        // staging buffer of this slot is free once its last upload is through
        if (c >= kSlots) CU(cudaStreamWaitEvent(st[s], uploaded[s], 0));
        src.read(hPcm[s], kChunk);
        CU(cudaMemcpyAsync(dPcm[s], hPcm[s], kChunk * sizeof(int16_t), cudaMemcpyHostToDevice, st[s]));
        CU(cudaEventRecord(uploaded[s], st[s]));
        goertzel<<<(outPerChunk + 127) / 128, 128, 0, st[s]>>>(dPcm[s], dPow[s], kFramesPerChunk);
        CU(cudaGetLastError());
        CU(cudaMemcpyAsync(hPow + c * outPerChunk, dPow[s], outPerChunk * sizeof(float), cudaMemcpyDeviceToHost, st[s]));
    }
    for (int s = 0; s < kSlots; s++) CU(cudaStreamSynchronize(st[s]));

    std::vector<double> perTone(kTones, 0.0);
    int loud = 0;
    for (int i = 0; i < kChunks * outPerChunk; i++) {
        perTone[i % kTones] += hPow[i];
        if (hPow[i] > 60.0f) loud++;
    }
    for (int t = 0; t < kTones; t++) printf("%4d Hz: %.4f\n", freqs[t], perTone[t] / (kChunks * kFramesPerChunk));
    printf("detections %d\n", loud);
    for (int s = 0; s < kSlots; s++) {
        CU(cudaEventDestroy(uploaded[s]));
        CU(cudaStreamDestroy(st[s]));
        cudaFreeHost(hPcm[s]); cudaFree(dPcm[s]); cudaFree(dPow[s]);
    }
    cudaFreeHost(hPow);
    return 0;
}
