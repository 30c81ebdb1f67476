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

__global__ void quantize_act(const float* x, uint8_t* q, int n, float inv_scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = rintf(fmaxf(x[i], 0.f) * inv_scale);
    q[i] = (uint8_t)fminf(v, 255.f);
}

__global__ void qlinear(const uint8_t* act, const int8_t* w, const float* wscale, const float* bias,
                        float* y, LayerShape s, float act_scale)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (o >= s.out || b >= s.batch) return;
    const uint8_t* a = act + (size_t)b * s.in;
    const int8_t* wr = w + (size_t)o * s.in;
    int acc = 0;
    for (int k = 0; k < s.in; k++) acc += (int)a[k] * (int)wr[k];
    y[(size_t)b * s.out + o] = acc * (act_scale * wscale[o]) + bias[o];
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
    quantize_act<<<(n + 255) / 256, 256>>>(dx, dq, n, 1.f / act_scale);
    check(cudaGetLastError(), "quantize_act");
    dim3 blk(32, 8), grd((s.out + 31) / 32, (s.batch + 7) / 8);
    qlinear<<<grd, blk>>>(dq, dw, dws, db, dy, s, act_scale);
    check(cudaGetLastError(), "qlinear");
    check(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost), "cp y");

    double sum = 0, sq = 0;
    for (float v : y) { sum += v; sq += (double)v * v; }
    std::printf("sum=%.5f rms=%.6f\n", sum, std::sqrt(sq / y.size()));
    for (int b = 0; b < s.batch; b += 19) std::printf("y[%d][%d]=%.5f\n", b, b * 5, y[(size_t)b * s.out + b * 5]);
    cudaFree(dx); cudaFree(dq); cudaFree(dw); cudaFree(dws); cudaFree(db); cudaFree(dy);
    return 0;
}
