// Pulse compression of a stream of radar bursts: int16 I/Q in, float power out.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define GPU(x) gpu_check((x), #x, __LINE__)
static void gpu_check(cudaError_t e, const char* s, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s -> %s\n", line, s, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

namespace cfg {
constexpr int TAPS   = 48;
constexpr int BURST  = 32768;     // samples per burst
constexpr int BURSTS = 8;
}

__constant__ float2 c_ref[cfg::TAPS];

__global__ void compress(const short2* __restrict__ iq, float* __restrict__ power, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float re = 0.f, im = 0.f;
    for (int k = 0; k < cfg::TAPS; ++k) {
        int j = i + k;
        if (j < n) {
            short2 s = iq[j];
            float2 r = c_ref[k];
            re += s.x * r.x + s.y * r.y;
            im += s.y * r.x - s.x * r.y;
        }
    }
    power[i] = re * re + im * im;
}

// "antenna": chirp echoes at burst-dependent delays on top of receiver noise
static void receive(short2* dst, int n, int burst, const std::vector<float2>& ref)
{
    uint32_t s = 9001u + 17u * burst;
    for (int i = 0; i < n; ++i) {
        s = s * 1103515245u + 12345u;
        dst[i].x = (short)((int)(s >> 20 & 63) - 32);
        s = s * 1103515245u + 12345u;
        dst[i].y = (short)((int)(s >> 20 & 63) - 32);
    }
    for (int t = 0; t < 5; ++t) {
        int d = (1500 + 6000 * t + 331 * burst) % (n - cfg::TAPS);
        for (int k = 0; k < cfg::TAPS; ++k) {
            dst[d + k].x += (short)(400.f * ref[k].x);
            dst[d + k].y += (short)(400.f * ref[k].y);
        }
    }
}

int main()
{
    using namespace cfg;
    std::vector<float2> ref(TAPS);
    for (int k = 0; k < TAPS; ++k) {
        float t = (k - TAPS / 2) / (float)TAPS;
        ref[k] = make_float2(cosf(60.f * t * t), sinf(60.f * t * t));
    }
    GPU(cudaMemcpyToSymbol(c_ref, ref.data(), TAPS * sizeof(float2)));

    std::vector<short2> raw(BURST);
    std::vector<float> power((size_t)BURST * BURSTS);
    short2* d_iq;
    float* d_pw;
    GPU(cudaMalloc(&d_iq, BURST * sizeof(short2)));
    GPU(cudaMalloc(&d_pw, BURST * sizeof(float)));

    for (int b = 0; b < BURSTS; ++b) {
        receive(raw.data(), BURST, b, ref);
        GPU(cudaMemcpy(d_iq, raw.data(), BURST * sizeof(short2), cudaMemcpyHostToDevice));
        compress<<<(BURST + 255) / 256, 256>>>(d_iq, d_pw, BURST);
        GPU(cudaGetLastError());
        GPU(cudaMemcpy(&power[(size_t)b * BURST], d_pw, BURST * sizeof(float), cudaMemcpyDeviceToHost));
    }

    for (int b = 0; b < BURSTS; ++b) {
        const float* p = &power[(size_t)b * BURST];
        int best = 0;
        double sum = 0;
        for (int i = 0; i < BURST; ++i) {
            sum += p[i];
            if (p[i] > p[best]) best = i;
        }
        printf("burst %d: peak at %d (%.4e), mean %.4e\n", b, best, p[best], sum / BURST);
    }
    GPU(cudaFree(d_iq));
    GPU(cudaFree(d_pw));
    return 0;
}
