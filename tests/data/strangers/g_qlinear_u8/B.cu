/* Quantised linear layer: uint8 activations (after ReLU, zero point 0), int8 weights with one
   scale per output channel, int32 accumulation, float result with bias. */
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); std::exit(2); }
}

struct LayerShape { int batch, in, out; };

// four activations per thread, stored as one word
__global__ void quantize_act(const float4* __restrict__ x, uchar4* __restrict__ q, int n4, float inv_scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = x[i];
    uchar4 r;
    r.x = (uint8_t)fminf(rintf(fmaxf(v.x, 0.f) * inv_scale), 255.f);
    r.y = (uint8_t)fminf(rintf(fmaxf(v.y, 0.f) * inv_scale), 255.f);
    r.z = (uint8_t)fminf(rintf(fmaxf(v.z, 0.f) * inv_scale), 255.f);
    r.w = (uint8_t)fminf(rintf(fmaxf(v.w, 0.f) * inv_scale), 255.f);
    q[i] = r;
}

// 32 x 32 output tile, 32 words (128 channels) of K per step, 4 batch rows per thread, dp4a inner loop.
constexpr int TK = 32;
__global__ void __launch_bounds__(256)
qlinear(const int* __restrict__ act, const int* __restrict__ w, const float* __restrict__ wscale,
        const float* __restrict__ bias, float* __restrict__ y, LayerShape s, float act_scale)
{
    __shared__ int ta[32][TK + 1];
    __shared__ int tw[32][TK + 1];
    const int k4 = s.in >> 2;
    const int o0 = blockIdx.x * 32, b0 = blockIdx.y * 32;
    const int tx = threadIdx.x, ty = threadIdx.y;
    int acc[4] = {0, 0, 0, 0};

    for (int k0 = 0; k0 < k4; k0 += TK) {
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            int row = ty + 8 * r;
            bool in_k = k0 + tx < k4;
            ta[row][tx] = (in_k && b0 + row < s.batch) ? act[(size_t)(b0 + row) * k4 + k0 + tx] : 0;
            tw[row][tx] = (in_k && o0 + row < s.out)   ? w[(size_t)(o0 + row) * k4 + k0 + tx] : 0;
        }
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < TK; k++) {
            int wv = tw[tx][k];
            #pragma unroll
            for (int r = 0; r < 4; r++) acc[r] = __dp4a(ta[ty + 8 * r][k], wv, acc[r]);
        }
        __syncthreads();
    }

    int o = o0 + tx;
    if (o >= s.out) return;
    float sc = act_scale * wscale[o], bo = bias[o];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        int b = b0 + ty + 8 * r;
        if (b < s.batch) y[(size_t)b * s.out + o] = acc[r] * sc + bo;
    }
}

static uint32_t rng_state = 12345;
static uint32_t rnd() { rng_state ^= rng_state << 13; rng_state ^= rng_state >> 17; rng_state ^= rng_state << 5; return rng_state; }

int main()
{
    const LayerShape s{96, 768, 512};
    const float act_scale = 0.025f;          // from calibration
    std::vector<float> x((size_t)s.batch * s.in), wscale(s.out), bias(s.out), y((size_t)s.batch * s.out);
    std::vector<int8_t> w((size_t)s.out * s.in);
    for (auto& v : x) v = (float)(rnd() % 4001) / 4000.f * 4.f - 1.2f;      // -1.2 .. 2.8
    for (auto& v : w) v = (int8_t)((int)(rnd() % 255) - 127);
    for (int o = 0; o < s.out; o++) { wscale[o] = 0.001f + (rnd() % 100) * 1e-5f; bias[o] = ((int)(rnd() % 200) - 100) * 0.01f; }

    float *dx, *dws, *db, *dy; uint8_t* dq; int8_t* dw;
    check(cudaMalloc(&dx, x.size() * 4), "x");
    check(cudaMalloc(&dq, x.size()), "q");
    check(cudaMalloc(&dw, w.size()), "w");
    check(cudaMalloc(&dws, s.out * 4), "ws");
    check(cudaMalloc(&db, s.out * 4), "b");
    check(cudaMalloc(&dy, y.size() * 4), "y");
    check(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice), "cp x");
    check(cudaMemcpy(dw, w.data(), w.size(), cudaMemcpyHostToDevice), "cp w");
    check(cudaMemcpy(dws, wscale.data(), s.out * 4, cudaMemcpyHostToDevice), "cp ws");
    check(cudaMemcpy(db, bias.data(), s.out * 4, cudaMemcpyHostToDevice), "cp b");

    int n = s.batch * s.in;
    if (s.in % 4) { std::fprintf(stderr, "in must be a multiple of 4\n"); return 1; }
    quantize_act<<<(n / 4 + 255) / 256, 256>>>((const float4*)dx, (uchar4*)dq, n / 4, 1.f / act_scale);
    check(cudaGetLastError(), "quantize_act");
    dim3 blk(32, 8), grd((s.out + 31) / 32, (s.batch + 31) / 32);
    qlinear<<<grd, blk>>>((const int*)dq, (const int*)dw, dws, db, dy, s, act_scale);
    check(cudaGetLastError(), "qlinear");
    check(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost), "cp y");

    double sum = 0, sq = 0;
    for (float v : y) { sum += v; sq += (double)v * v; }
    std::printf("sum=%.5f rms=%.6f\n", sum, std::sqrt(sq / y.size()));
    for (int b = 0; b < s.batch; b += 19) std::printf("y[%d][%d]=%.5f\n", b, b * 5, y[(size_t)b * s.out + b * 5]);
    cudaFree(dx); cudaFree(dq); cudaFree(dw); cudaFree(dws); cudaFree(db); cudaFree(dy);
    return 0;
}
