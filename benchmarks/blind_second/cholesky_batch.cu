// Solves many small symmetric positive definite systems A x = b by Cholesky's factorisation, a warp for each.
//
//   cholesky_batch SYSTEMS ORDER          ORDER: 8, 12, 16, 24 or 32
//
// Lane i keeps row i of the factor in registers. A is symmetric, so the lanes read columns, which are contiguous.
// Besides x, the logarithm of A's determinant is stored (Gaussian likelihoods need both).
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void require(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define REQUIRE(e) require((e), __LINE__)

constexpr unsigned kFull = 0xffffffffu;
constexpr int kWarpsPerBlock = 4;

template <int N>
__global__ void __launch_bounds__(32 * kWarpsPerBlock)
cholesky_solve(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ x, float* __restrict__ logdet, int systems)
{
    const int lane = threadIdx.x & 31;
    const int system = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
    if (system >= systems) return;  // whole warps leave

    const bool active = lane < N;
    const float* matrix = a + static_cast<size_t>(system) * N * N;
    float row[N];
#pragma unroll
    for (int j = 0; j < N; ++j) row[j] = active ? matrix[j * N + lane] : 0.0f;
    float rhs = active ? b[static_cast<size_t>(system) * N + lane] : 0.0f;

    float inverse = 1.0f;  // of this lane's diagonal element
    // Right-looking factorisation, with the forward substitution beside it.
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const float r = rsqrtf(__shfl_sync(kFull, row[k], k));
        row[k] *= r;
        if (lane == k) {
            inverse = r;
            rhs *= r;
        }
        const float y = __shfl_sync(kFull, rhs, k);
        if (lane > k) rhs -= row[k] * y;
#pragma unroll
        for (int j = k + 1; j < N; ++j) {
            const float factor = __shfl_sync(kFull, row[k], j);
            row[j] -= row[k] * factor;
        }
    }

    // Backward substitution with the transpose: a dot product over lanes per unknown.
#pragma unroll
    for (int k = N - 1; k >= 0; --k) {
        float s = (lane > k && active) ? row[k] * rhs : 0.0f;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(kFull, s, d);
        if (lane == k) rhs = (rhs - s) * inverse;
    }
    if (active) x[static_cast<size_t>(system) * N + lane] = rhs;

    float l = active ? -2.0f * logf(inverse) : 0.0f;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) l += __shfl_xor_sync(kFull, l, d);
    if (lane == 0) logdet[system] = l;
}

uint32_t mixed(uint32_t v)
{
    v = (v ^ 61u) ^ (v >> 16);
    v *= 9u;
    v ^= v >> 4;
    v *= 0x27d4eb2du;
    return v ^ (v >> 15);
}

float unit(uint32_t v) { return static_cast<float>(mixed(v) >> 8) / 16777216.0f; }

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s SYSTEMS ORDER\n", argv[0]);
        return 1;
    }
    const int systems = atoi(argv[1]), n = atoi(argv[2]);
    const size_t elements = static_cast<size_t>(systems) * n * n, vectors = static_cast<size_t>(systems) * n;

    std::vector<float> a(elements), b(vectors), x(vectors), logdet(systems);
    for (int s = 0; s < systems; ++s) {
        float* m = &a[static_cast<size_t>(s) * n * n];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) m[i * n + j] = m[j * n + i] = unit((s * 32 + i) * 32 + j) - 0.5f;
            m[i * n + i] = 0.3f * n + unit((s * 32 + i) * 32 + i);
            b[static_cast<size_t>(s) * n + i] = unit(0x80000000u + s * 32 + i);
        }
    }

    float *d_a, *d_b, *d_x, *d_logdet;
    REQUIRE(cudaMalloc(&d_a, elements * sizeof(float)));
    REQUIRE(cudaMalloc(&d_b, vectors * sizeof(float)));
    REQUIRE(cudaMalloc(&d_x, vectors * sizeof(float)));
    REQUIRE(cudaMalloc(&d_logdet, systems * sizeof(float)));
    REQUIRE(cudaMemcpy(d_a, a.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
    REQUIRE(cudaMemcpy(d_b, b.data(), vectors * sizeof(float), cudaMemcpyHostToDevice));

    const int blocks = (systems + kWarpsPerBlock - 1) / kWarpsPerBlock, threads = 32 * kWarpsPerBlock;
    switch (n) {
        case 8: cholesky_solve<8><<<blocks, threads>>>(d_a, d_b, d_x, d_logdet, systems); break;
        case 12: cholesky_solve<12><<<blocks, threads>>>(d_a, d_b, d_x, d_logdet, systems); break;
        case 16: cholesky_solve<16><<<blocks, threads>>>(d_a, d_b, d_x, d_logdet, systems); break;
        case 24: cholesky_solve<24><<<blocks, threads>>>(d_a, d_b, d_x, d_logdet, systems); break;
        case 32: cholesky_solve<32><<<blocks, threads>>>(d_a, d_b, d_x, d_logdet, systems); break;
        default: fprintf(stderr, "no such order\n"); return 1;
    }
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaMemcpy(x.data(), d_x, vectors * sizeof(float), cudaMemcpyDeviceToHost));
    REQUIRE(cudaMemcpy(logdet.data(), d_logdet, systems * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0, determinants = 0;
    for (float v : x) sum += v;
    for (float v : logdet) determinants += v;
    printf("mean x      %.5f\n", sum / vectors);
    printf("mean logdet %.4f\n", determinants / systems);
    printf("last x      %.4f %.4f %.4f\n", x[vectors - n], x[vectors - n / 2], x[vectors - 1]);

    REQUIRE(cudaFree(d_a));
    REQUIRE(cudaFree(d_b));
    REQUIRE(cudaFree(d_x));
    REQUIRE(cudaFree(d_logdet));
    return 0;
}
