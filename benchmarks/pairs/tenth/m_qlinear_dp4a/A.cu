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

__global__ void qlinear(const uint8_t* act, const int8_t* w, const float* scale,
                        const float* bias, uint8_t* out, QParams p)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N || m >= M) return;
    int acc = 0;
    for (int k = 0; k < K; ++k)
        acc += ((int)act[m * K + k] - p.act_zp) * (int)w[n * K + k];
    out[m * N + n] = requant(acc, scale[n], bias[n], p.out_zp);
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

    dim3 block(32, 8);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    qlinear<<<grid, block>>>(d_act, d_w, d_s, d_b, d_out, p);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(out.data(), d_out, out.size(), cudaMemcpyDeviceToHost), "copy out");

    unsigned long long h = 1469598103934665603ull;
    long sum = 0;
    for (uint8_t v : out) { h = (h ^ v) * 1099511628211ull; sum += v; }
    std::printf("mean %.4f  fnv %016llx\n", (double)sum / out.size(), h);
    cudaFree(d_act); cudaFree(d_out); cudaFree(d_w); cudaFree(d_s); cudaFree(d_b);
    return 0;
}
