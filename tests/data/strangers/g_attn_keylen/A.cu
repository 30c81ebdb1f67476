// Causal attention of a small transformer with padded keys (per-sequence lengths) and an additive per-head key bias.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHK(x) do { cudaError_t err__ = (x); if (err__ != cudaSuccess) { fprintf(stderr, "error '%s' at %s:%d\n", cudaGetErrorString(err__), __FILE__, __LINE__); exit(1); } } while (0)

constexpr int B = 3, H = 4, T = 200, D = 64;

// q,k,v,o: [B][H][T][D]   bias: [H][T] added to the score of a key   len: [B], always >= 1
__global__ void attention(const float* q, const float* k, const float* v, const float* bias, const int* len, float* o, float scale)
{
    __shared__ float score[T];
    __shared__ float red[D];
    const int qi = blockIdx.x, h = blockIdx.y, b = blockIdx.z, t = threadIdx.x;
    const size_t head = ((size_t)b * H + h) * T * D;
    const int nk = min(qi + 1, len[b]);

    float mx = -INFINITY;
    for (int j = t; j < nk; j += D) {
        float s = 0.f;
        for (int d = 0; d < D; d++) s += q[head + (size_t)qi * D + d] * k[head + (size_t)j * D + d];
        s = s * scale + bias[h * T + j];
        score[j] = s;
        mx = fmaxf(mx, s);
    }
    red[t] = mx;
    __syncthreads();
    for (int w = D / 2; w; w >>= 1) { if (t < w) red[t] = fmaxf(red[t], red[t + w]); __syncthreads(); }
    mx = red[0];
    __syncthreads();
    float sum = 0.f;
    for (int j = t; j < nk; j += D) { float e = expf(score[j] - mx); score[j] = e; sum += e; }
    red[t] = sum;
    __syncthreads();
    for (int w = D / 2; w; w >>= 1) { if (t < w) red[t] += red[t + w]; __syncthreads(); }
    sum = red[0];

    float acc = 0.f;
    for (int j = 0; j < nk; j++) acc += score[j] * v[head + (size_t)j * D + t];
    o[head + (size_t)qi * D + t] = acc / sum;
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
    attention<<<dim3(T, H, B), D>>>(dq, dk, dv, dbias, dlen, dout, scale);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(o.data(), dout, n * 4, cudaMemcpyDeviceToHost));

    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; i++) { sum += o[i] * (double)(i % 11); sq += (double)o[i] * o[i]; }
    printf("checksum %.5f  energy %.5f\n", sum, sq);
    for (int b = 0; b < B; b++) printf("b%d last token: %.6f %.6f\n", b, o[((size_t)b * H * T + T - 1) * D], o[((size_t)b * H * T + T - 1) * D + 5]);
    cudaFree(dq); cudaFree(dk); cudaFree(dv); cudaFree(dout); cudaFree(dbias); cudaFree(dlen);
    return 0;
}
