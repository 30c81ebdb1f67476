// Arithmetic-average Asian call by Monte Carlo, counter-based generator, several strikes.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(expr)                                                     \
    do {                                                                     \
        cudaError_t rc = (expr);                                             \
        if (rc != cudaSuccess) {                                             \
            fprintf(stderr, "CUDA error %d at line %d\n", (int)rc, __LINE__); \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)

struct Market { float s0, r, vol, T; };
struct McPartial { double sum, sq; };

__constant__ Market c_mkt;

__device__ __forceinline__ unsigned int mix(unsigned int h)
{
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    h ^= h >> 16;
    return h;
}

__device__ float gauss(unsigned int path, unsigned int step)
{
    unsigned int a = mix(path * 0x9E3779B1u + step);
    unsigned int b = mix(a ^ 0xA511E9B3u);
    float u1 = ((float)(a >> 8) + 0.5f) * (1.0f / 16777216.0f);
    float u2 = ((float)(b >> 8) + 0.5f) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
}

__device__ double asian_payoff(unsigned int path, int steps, float strike)
{
    float dt = c_mkt.T / steps;
    float drift = (c_mkt.r - 0.5f * c_mkt.vol * c_mkt.vol) * dt;
    float sd = c_mkt.vol * sqrtf(dt);
    float ls = logf(c_mkt.s0);
    float avg = 0.0f;
    for (int k = 0; k < steps; ++k) {
        ls += drift + sd * gauss(path, k);
        avg += expf(ls);
    }
    avg /= steps;
    return avg > strike ? (double)(avg - strike) : 0.0;
}

__global__ void mc_kernel(int paths, int steps, float strike, McPartial* out)
{
    __shared__ double s1[256];
    __shared__ double s2[256];
    int p = blockIdx.x * 256 + threadIdx.x;
    double v = p < paths ? asian_payoff(p, steps, strike) : 0.0;
    s1[threadIdx.x] = v;
    s2[threadIdx.x] = v * v;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w) {
            s1[threadIdx.x] += s1[threadIdx.x + w];
            s2[threadIdx.x] += s2[threadIdx.x + w];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x].sum = s1[0];
        out[blockIdx.x].sq = s2[0];
    }
}

int main()
{
    const int paths = 40000, steps = 16;
    Market m{100.0f, 0.03f, 0.25f, 1.0f};
    CUDA_CHECK(cudaMemcpyToSymbol(c_mkt, &m, sizeof m));

    const int blocks = (paths + 255) / 256;
    McPartial* d_out;
    CUDA_CHECK(cudaMalloc(&d_out, blocks * sizeof(McPartial)));
    std::vector<McPartial> h(blocks);

    const float strikes[] = {90.0f, 100.0f, 112.5f};
    for (float k : strikes) {
        mc_kernel<<<blocks, 256>>>(paths, steps, k, d_out);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(h.data(), d_out, blocks * sizeof(McPartial), cudaMemcpyDeviceToHost));
        double s = 0, q = 0;
        for (auto& e : h) { s += e.sum; q += e.sq; }
        double mean = s / paths;
        double se = sqrt((q / paths - mean * mean) / paths);
        double df = exp(-m.r * m.T);
        printf("K=%6.1f  price %.6f  +- %.6f\n", k, df * mean, df * se);
    }
    CUDA_CHECK(cudaFree(d_out));
    return 0;
}
