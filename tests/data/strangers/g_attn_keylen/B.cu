// Causal attention of a small transformer with padded keys (per-sequence lengths) and an additive per-head key bias.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHK(x) do { cudaError_t err__ = (x); if (err__ != cudaSuccess) { fprintf(stderr, "error '%s' at %s:%d\n", cudaGetErrorString(err__), __FILE__, __LINE__); exit(1); } } while (0)

constexpr int B = 3, H = 4, T = 200, D = 64;

// Flash-attention style: 8 warps = 8 queries per block, keys and values in tiles of 32 through shared memory,
// running maximum / running sum, so no score array and a single pass over K and V.
constexpr int QB = 8, KB = 32;

// q,k,v,o: [B][H][T][D]   bias: [H][T] added to the score of a key   len: [B], always >= 1
__global__ void __launch_bounds__(QB * 32)
attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
          const float* __restrict__ bias, const int* __restrict__ len, float* __restrict__ o, float scale)
{
    static_assert(D == 64, "two output columns per lane");
    __shared__ float sk[KB][D + 1];
    __shared__ float sv[KB][D];
    __shared__ float sq[QB][D];
    const int h = blockIdx.y, b = blockIdx.z;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int q0 = blockIdx.x * QB, qi = q0 + warp;
    const size_t head = ((size_t)b * H + h) * T * D;
    const int L = len[b];

    for (int i = threadIdx.x; i < QB * D; i += QB * 32) {
        int r = q0 + i / D;
        sq[i / D][i % D] = r < T ? q[head + (size_t)r * D + i % D] * scale : 0.f;
    }

    float m = 0.f, l = 0.f, acc0 = 0.f, acc1 = 0.f;
    const int nkBlock = min(min(q0 + QB, T), L);           // keys that any query of the block needs
    const int nk = qi < T ? min(qi + 1, L) : 0;
    for (int j0 = 0; j0 < nkBlock; j0 += KB) {
        __syncthreads();
        for (int i = threadIdx.x; i < KB * D; i += QB * 32) {
            int r = j0 + i / D;
            sk[i / D][i % D] = r < nkBlock ? k[head + (size_t)r * D + i % D] : 0.f;
            sv[i / D][i % D] = r < nkBlock ? v[head + (size_t)r * D + i % D] : 0.f;
        }
        __syncthreads();

        const int j = j0 + lane;
        float s = -INFINITY;
        if (j < nk) {
            s = 0.f;
            #pragma unroll 16
            for (int d = 0; d < D; d++) s += sq[warp][d] * sk[lane][d];
            s += bias[h * T + j];
        }
        float tm = s;
        #pragma unroll
        for (int w = 16; w; w >>= 1) tm = fmaxf(tm, __shfl_xor_sync(0xffffffffu, tm, w));
        const float mNew = fmaxf(m, tm);
        const float corr = expf(m - mNew);
        const float p = expf(s - mNew);
        float ps = p;
        #pragma unroll
        for (int w = 16; w; w >>= 1) ps += __shfl_xor_sync(0xffffffffu, ps, w);
        l = l * corr + ps;
        acc0 *= corr; acc1 *= corr;
        #pragma unroll
        for (int r = 0; r < KB; r++) {
            float pr = __shfl_sync(0xffffffffu, p, r);
            acc0 += pr * sv[r][lane];
            acc1 += pr * sv[r][lane + 32];
        }
        m = mNew;
    }
    if (qi < T) {
        const float inv = 1.f / l;
        o[head + (size_t)qi * D + lane]      = acc0 * inv;
        o[head + (size_t)qi * D + lane + 32] = acc1 * inv;
    }
}

static float gen(unsigned& s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (s & 0xffffff) / 8388608.f - 1.f; }

int main()
{
    const size_t n = (size_t)B * H * T * D;
    std::vector<float> q(n), k(n), v(n), o(n), bias(H * T);
    std::vector<int> len = {200, 131, 64};
    unsigned s = 2463534242u;
    for (size_t i = 0; i < n; i++) { q[i] = 1.5f * gen(s); k[i] = 1.5f * gen(s); v[i] = gen(s); }
    for (int h = 0; h < H; h++) for (int j = 0; j < T; j++) bias[h * T + j] = 0.5f * gen(s) - 0.05f * h;

    float *dq, *dk, *dv, *dout, *dbias; int* dlen;
    CHK(cudaMalloc(&dq, n * 4)); CHK(cudaMalloc(&dk, n * 4)); CHK(cudaMalloc(&dv, n * 4)); CHK(cudaMalloc(&dout, n * 4));
    CHK(cudaMalloc(&dbias, H * T * 4)); CHK(cudaMalloc(&dlen, B * 4));
    CHK(cudaMemcpy(dq, q.data(), n * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dk, k.data(), n * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dbias, bias.data(), H * T * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dlen, len.data(), B * 4, cudaMemcpyHostToDevice));

    const float scale = 1.f / sqrtf((float)D);
    attention<<<dim3((T + QB - 1) / QB, H, B), QB * 32>>>(dq, dk, dv, dbias, dlen, dout, scale);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(o.data(), dout, n * 4, cudaMemcpyDeviceToHost));

    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; i++) { sum += o[i] * (double)(i % 11); sq += (double)o[i] * o[i]; }
    printf("checksum %.5f  energy %.5f\n", sum, sq);
    for (int b = 0; b < B; b++) printf("b%d last token: %.6f %.6f\n", b, o[((size_t)b * H * T + T - 1) * D], o[((size_t)b * H * T + T - 1) * D + 5]);
    cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dout); cudaFree(dbias); cudaFree(dlen);
    return 0;
}
