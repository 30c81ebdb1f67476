// Quantized linear layer: activations uint8 with zero point, weights int8 per-channel scale.
//   acc[m][n] = sum_k (act[m][k] - zp) * w[n][k]
//   out[m][n] = clamp(round(acc * scale[n] + bias[n]) + out_zp, 0, 255)
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int M = 192;
constexpr int N = 320;
constexpr int K = 256;

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "CUDA error in %s: %s\n", what, cudaGetErrorString(e));
        std::exit(EXIT_FAILURE);
    }
}

struct QParams {
    int act_zp;
    int out_zp;
};

__device__ inline uint8_t requant(int acc, float scale, float bias, int zp)
{
    int q = __float2int_rn(acc * scale + bias) + zp;
    return (uint8_t)min(255, max(0, q));
}

constexpr int TM = 16;          // rows of activations per block
constexpr int TN = 32;          // output channels per block
constexpr int KW = K / 4;       // k in 32-bit words
constexpr int KT = 16;          // words per k step
static_assert(K % (4 * KT) == 0, "K must be a multiple of the k step");

// sum over k of the weights of a channel, for the zero-point correction:
//   sum (a - zp) * w = sum a * w - zp * sum w
__global__ void weight_sums(const int* __restrict__ w4, int* __restrict__ wsum)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= N) return;
    int s = 0;
    for (int k = 0; k < KW; ++k) s = __dp4a(w4[n * KW + k], 0x01010101, s);
    wsum[n] = s;
}

// block 32 x 8, every thread computes two rows (ty and ty + 8)
__global__ void __launch_bounds__(256)
qlinear(const int* __restrict__ act4, const int* __restrict__ w4, const int* __restrict__ wsum,
        const float* __restrict__ scale, const float* __restrict__ bias,
        uint8_t* __restrict__ out, QParams p)
{
    __shared__ int sa[TM][KT];
    __shared__ int sw[TN][KT + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 32 + tx;
    const int n0 = blockIdx.x * TN, m0 = blockIdx.y * TM;
    int acc0 = 0, acc1 = 0;

    for (int k0 = 0; k0 < KW; k0 += KT) {
        {
            int r = tid / KT, c = tid % KT;                 // 16 x 16
            sa[r][c] = (m0 + r < M) ? act4[(m0 + r) * KW + k0 + c] : 0;
        }
        for (int i = tid; i < TN * KT; i += 256) {
            int r = i / KT, c = i % KT;
            sw[r][c] = (n0 + r < N) ? w4[(n0 + r) * KW + k0 + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KT; ++k) {
            int b = sw[tx][k];
            acc0 = __dp4a(sa[ty][k], b, acc0);
            acc1 = __dp4a(sa[ty + 8][k], b, acc1);
        }
        __syncthreads();
    }
    const int n = n0 + tx;
    if (n >= N) return;
    const int corr = p.act_zp * wsum[n];
    const float s = scale[n], b = bias[n];
    if (m0 + ty < M) out[(m0 + ty) * N + n] = requant(acc0 - corr, s, b, p.out_zp);
    if (m0 + ty + 8 < M) out[(m0 + ty + 8) * N + n] = requant(acc1 - corr, s, b, p.out_zp);
}

int main()
{
    std::vector<uint8_t> act(M * K), out(M * N);
    std::vector<int8_t> w(N * K);
    std::vector<float> scale(N), bias(N);
    uint32_t r = 2463534242u;
    auto next = [&r]() { r ^= r << 13; r ^= r >> 17; r ^= r << 5; return r; };
    // post-ReLU like activations: mostly small, a few larger
    for (auto& a : act) { uint32_t v = next(); a = (uint8_t)((v & 3) ? (v >> 8) % 40 : (v >> 8) % 120); }
    for (auto& x : w) x = (int8_t)((int)(next() >> 9) % 255 - 127);
    for (int n = 0; n < N; ++n) { scale[n] = 0.0008f + 0.00001f * (n % 17); bias[n] = (n % 9) - 4.0f; }
    QParams p{12, 110};

    uint8_t *d_act, *d_out; int8_t* d_w; float *d_s, *d_b;
    check(cudaMalloc(&d_act, act.size()), "malloc act");
    check(cudaMalloc(&d_out, out.size()), "malloc out");
    check(cudaMalloc(&d_w, w.size()), "malloc w");
    check(cudaMalloc(&d_s, N * sizeof(float)), "malloc scale");
    check(cudaMalloc(&d_b, N * sizeof(float)), "malloc bias");
    check(cudaMemcpy(d_act, act.data(), act.size(), cudaMemcpyHostToDevice), "copy act");
    check(cudaMemcpy(d_w, w.data(), w.size(), cudaMemcpyHostToDevice), "copy w");
    check(cudaMemcpy(d_s, scale.data(), N * sizeof(float), cudaMemcpyHostToDevice), "copy scale");
    check(cudaMemcpy(d_b, bias.data(), N * sizeof(float), cudaMemcpyHostToDevice), "copy bias");

    int* d_wsum;
    check(cudaMalloc(&d_wsum, N * sizeof(int)), "malloc wsum");
    weight_sums<<<(N + 63) / 64, 64>>>((const int*)d_w, d_wsum);
    check(cudaGetLastError(), "launch sums");

    dim3 block(32, 8);
    dim3 grid((N + TN - 1) / TN, (M + TM - 1) / TM);
    qlinear<<<grid, block>>>((const int*)d_act, (const int*)d_w, d_wsum, d_s, d_b, d_out, p);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(out.data(), d_out, out.size(), cudaMemcpyDeviceToHost), "copy out");

    unsigned long long h = 1469598103934665603ull;
    long sum = 0;
    for (uint8_t v : out) { h = (h ^ v) * 1099511628211ull; sum += v; }
    std::printf("mean %.4f  fnv %016llx\n", (double)sum / out.size(), h);
    cudaFree(d_act); cudaFree(d_wsum); cudaFree(d_out); cudaFree(d_w); cudaFree(d_s); cudaFree(d_b);
    return 0;
}
