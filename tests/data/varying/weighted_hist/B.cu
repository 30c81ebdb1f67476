#include <iostream>
#include <iomanip>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

// Weighted dimuon mass histogram with sum of w and sum of w^2, plus under/overflow.
namespace hep {
struct Muon { float pt, eta, phi, w; };
constexpr int   kBins = 120;
constexpr float kLo = 0.0f, kHi = 120.0f;

__device__ inline float pairMass(const Muon& a, const Muon& b)
{
    float m2 = 2.0f * a.pt * b.pt * (coshf(a.eta - b.eta) - cosf(a.phi - b.phi));
    return sqrtf(fmaxf(m2, 0.0f));
}

__device__ inline int binOf(float m)
{
    if (!(m >= kLo)) return 0;
    if (m >= kHi) return kBins + 1;
    int b = 1 + (int)((m - kLo) * (kBins / (kHi - kLo)));
    return b > kBins ? kBins : b;
}

// Each block keeps a private histogram in shared memory and merges it once at its end.
__global__ void __launch_bounds__(256)
fillHistogram(const float4* __restrict__ mu, int nEvents,
              float* __restrict__ sumw, float* __restrict__ sumw2, int* __restrict__ entries)
{
    __shared__ float sw[kBins + 2], sw2[kBins + 2];
    __shared__ int   sn[kBins + 2];
    for (int k = threadIdx.x; k < kBins + 2; k += blockDim.x) {
        sw[k] = 0.0f;
        sw2[k] = 0.0f;
        sn[k] = 0;
    }
    __syncthreads();

    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < nEvents; e += gridDim.x * blockDim.x) {
        float4 p = __ldg(&mu[2 * e]), q = __ldg(&mu[2 * e + 1]);
        Muon a{p.x, p.y, p.z, p.w}, b{q.x, q.y, q.z, q.w};
        int k = binOf(pairMass(a, b));
        float w = a.w * b.w;
        atomicAdd(&sw[k], w);
        atomicAdd(&sw2[k], w * w);
        atomicAdd(&sn[k], 1);
    }
    __syncthreads();

    for (int k = threadIdx.x; k < kBins + 2; k += blockDim.x) {
        if (sn[k] != 0) {
            atomicAdd(&sumw[k], sw[k]);
            atomicAdd(&sumw2[k], sw2[k]);
            atomicAdd(&entries[k], sn[k]);
        }
    }
}
} // namespace hep

#define CUDA_TRY(call) if (cudaError_t err = (call); err != cudaSuccess) { \
    std::cerr << #call << " -> " << cudaGetErrorString(err) << "\n"; return 1; }

int main()
{
    using namespace hep;
    const int nEvents = 150001;
    std::vector<Muon> mu(2 * nEvents);
    unsigned long long st = 0x9E3779B97F4A7C15ull;
    auto uni = [&]() { st ^= st << 13; st ^= st >> 7; st ^= st << 17; return (float)((st >> 40) * (1.0 / 16777216.0)); };
    for (auto& m : mu) {
        m.pt = 20.0f + 30.0f * uni();
        m.eta = 2.0f * uni() - 1.0f;
        m.phi = 6.2831853f * uni();
        m.w = 0.8f + 0.4f * uni();
    }
    Muon* dmu; float *dw, *dw2; int* dn;
    const int cells = kBins + 2;
    CUDA_TRY(cudaMalloc(&dmu, mu.size() * sizeof(Muon)));
    CUDA_TRY(cudaMalloc(&dw, cells * sizeof(float)));
    CUDA_TRY(cudaMalloc(&dw2, cells * sizeof(float)));
    CUDA_TRY(cudaMalloc(&dn, cells * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dmu, mu.data(), mu.size() * sizeof(Muon), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(dw, 0, cells * sizeof(float)));
    CUDA_TRY(cudaMemset(dw2, 0, cells * sizeof(float)));
    CUDA_TRY(cudaMemset(dn, 0, cells * sizeof(int)));

    static_assert(sizeof(Muon) == sizeof(float4), "Muon is read as float4");
    const int blocks = 132;
    fillHistogram<<<blocks, 256>>>(reinterpret_cast<const float4*>(dmu), nEvents, dw, dw2, dn);
    CUDA_TRY(cudaGetLastError());

    std::vector<float> w(cells), w2(cells);
    std::vector<int> n(cells);
    CUDA_TRY(cudaMemcpy(w.data(), dw, cells * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(w2.data(), dw2, cells * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(n.data(), dn, cells * sizeof(int), cudaMemcpyDeviceToHost));
    std::cout << std::fixed << std::setprecision(2);
    for (int k = 0; k < cells; k += 11)
        std::cout << "bin " << k << " n=" << n[k] << " w=" << w[k] << " +- " << std::sqrt(w2[k]) << "\n";
    double tw = 0; long tn = 0;
    for (int k = 0; k < cells; ++k) { tw += w[k]; tn += n[k]; }
    std::cout << "total " << tn << " " << tw << "\n";
    cudaFree(dmu); cudaFree(dw); cudaFree(dw2); cudaFree(dn);
    return 0;
}
