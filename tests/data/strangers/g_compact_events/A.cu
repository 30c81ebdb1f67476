// Detector events: keep those that pass the cuts, in their original order (stream compaction by prefix sum).
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

static void chk(cudaError_t e, const char* file, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d CUDA: %s\n", file, line, cudaGetErrorString(e)); exit(1); }
}
#define CHK(e) chk((e), __FILE__, __LINE__)

struct Event {
    uint32_t time;
    float    energy;
    uint16_t module;
    uint16_t flags;      // bit 0 saturated, bit 1 pile-up, bit 4 veto
};

constexpr int MODULES = 48;
__constant__ float2 c_window[MODULES];     // lower and upper energy cut of a module

__device__ bool keep(const Event& e)
{
    if (e.flags & 0x13) return false;
    if (e.module >= MODULES) return false;
    float2 w = c_window[e.module];
    return e.energy >= w.x && e.energy < w.y;
}

__global__ void mark(const Event* ev, int n, int* scan)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scan[i] = keep(ev[i]) ? 1 : 0;
}

// one Hillis-Steele step over the whole array
__global__ void scan_step(const int* in, int* out, int n, int dist)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + (i >= dist ? in[i - dist] : 0);
}

__global__ void scatter(const Event* ev, const int* incl, int n, Event* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int before = i ? incl[i - 1] : 0;
    if (incl[i] != before) out[before] = ev[i];
}

int main()
{
    const int n = 150001;
    std::vector<Event> ev(n);
    float2 window[MODULES];
    uint32_t s = 5150;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int m = 0; m < MODULES; m++) window[m] = make_float2(20.f + m % 5, 400.f + 10.f * (m % 7));
    uint32_t t = 0;
    for (auto& e : ev) {
        t += rnd() % 50;
        e.time = t;
        e.energy = (rnd() % 60000) * 0.01f;
        e.module = (uint16_t)(rnd() % (MODULES + 1));
        uint32_t f = rnd() % 16;
        e.flags = f == 0 ? 1 : f == 1 ? 2 : f == 2 ? 16 : f == 3 ? 8 : 0;
    }

    Event *dEv, *dOut; int *dA, *dB;
    CHK(cudaMalloc(&dEv, n * sizeof(Event)));
    CHK(cudaMalloc(&dOut, n * sizeof(Event)));
    CHK(cudaMalloc(&dA, n * sizeof(int)));
    CHK(cudaMalloc(&dB, n * sizeof(int)));
    CHK(cudaMemcpyToSymbol(c_window, window, sizeof window));
    CHK(cudaMemcpy(dEv, ev.data(), n * sizeof(Event), cudaMemcpyHostToDevice));

    const int tb = 256, nb = (n + tb - 1) / tb;
    mark<<<nb, tb>>>(dEv, n, dA);
    for (int dist = 1; dist < n; dist *= 2) {
        scan_step<<<nb, tb>>>(dA, dB, n, dist);
        int* x = dA; dA = dB; dB = x;
    }
    scatter<<<nb, tb>>>(dEv, dA, n, dOut);
    CHK(cudaGetLastError());
    int kept;
    CHK(cudaMemcpy(&kept, dA + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<Event> out(kept);
    CHK(cudaMemcpy(out.data(), dOut, kept * sizeof(Event), cudaMemcpyDeviceToHost));

    // the dead-time estimate needs the order: smallest gap between kept events of the same module
    std::vector<uint32_t> last(MODULES, 0), gap(MODULES, 0xffffffffu);
    double esum = 0; uint64_t h = 0;
    for (const Event& e : out) {
        if (last[e.module] && e.time - last[e.module] < gap[e.module]) gap[e.module] = e.time - last[e.module];
        last[e.module] = e.time;
        esum += e.energy;
        h = h * 1000003u + e.time;
    }
    printf("kept %d of %d, energy %.2f, order hash %016llx\n", kept, n, esum, (unsigned long long)h);
    for (int m = 0; m < MODULES; m += 8) printf("module %2d: min gap %u\n", m, gap[m]);
    cudaFree(dEv); cudaFree(dOut); cudaFree(dA); cudaFree(dB);
    return 0;
}
