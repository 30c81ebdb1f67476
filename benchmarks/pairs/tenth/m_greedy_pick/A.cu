/* greedy token selection: logits (batch x vocab) with repetition penalty, argmax, lowest id wins a tie */
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
using namespace std;

#define CHECK(e) check_((e), __LINE__)
static void check_(cudaError_t e, int line) { if (e) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); abort(); } }

#define NT 256

__device__ float penalized(float v, unsigned char seen, float penalty)
{
    if (seen) v = v > 0.f ? v / penalty : v * penalty;
    return v;
}

__global__ void pickGreedy(const float *logits, const unsigned char *seen, int vocab, float penalty,
                           int *token, float *best)
{
    __shared__ float sv[NT];
    __shared__ int si[NT];
    int row = blockIdx.x, t = threadIdx.x;
    const float *L = logits + (size_t)row * vocab;
    const unsigned char *S = seen + (size_t)row * vocab;

    float bv = -FLT_MAX; int bi = 0x7fffffff;
    for (int i = t; i < vocab; i += NT) {
        float v = penalized(L[i], S[i], penalty);
        if (v > bv || (v == bv && i < bi)) { bv = v; bi = i; }
    }
    sv[t] = bv; si[t] = bi;
    __syncthreads();
    for (int s = NT / 2; s > 0; s /= 2) {
        if (t < s) {
            if (sv[t + s] > sv[t] || (sv[t + s] == sv[t] && si[t + s] < si[t])) {
                sv[t] = sv[t + s]; si[t] = si[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) { token[row] = si[0]; best[row] = sv[0]; }
}

__global__ void markSeen(const int *token, unsigned char *seen, int vocab, int batch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < batch) seen[(size_t)row * vocab + token[row]] = 1;
}

int main()
{
    const int batch = 40, vocab = 10007, steps = 3;
    const size_t n = (size_t)batch * vocab;
    vector<float> logits(n);
    uint64_t s = 0x9E3779B97F4A7C15ull;
    for (size_t i = 0; i < n; i++) {
        s ^= s << 7; s ^= s >> 9;
        logits[i] = (float)((s >> 20) % 20001) / 1000.0f - 10.0f;     // many equal values
    }
    float *dL, *dB; unsigned char *dS; int *dT;
    CHECK(cudaMalloc((void **)&dL, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&dS, n));
    CHECK(cudaMalloc((void **)&dT, batch * sizeof(int)));
    CHECK(cudaMalloc((void **)&dB, batch * sizeof(float)));
    CHECK(cudaMemcpy(dL, logits.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dS, 0, n));

    vector<int> tok(batch); vector<float> best(batch);
    for (int st = 0; st < steps; st++) {
        pickGreedy<<<batch, NT>>>(dL, dS, vocab, 1.3f, dT, dB);
        CHECK(cudaGetLastError());
        markSeen<<<1, 64>>>(dT, dS, vocab, batch);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(tok.data(), dT, batch * sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(best.data(), dB, batch * sizeof(float), cudaMemcpyDeviceToHost));
        printf("step %d:", st);
        for (int b = 0; b < batch; b += 8) printf(" %d(%.3f)", tok[b], best[b]);
        long long sum = 0;
        for (int b = 0; b < batch; b++) sum += (long long)tok[b] * (b + 1);
        printf("  sum %lld\n", sum);
    }
    cudaFree(dL); cudaFree(dS); cudaFree(dT); cudaFree(dB);
    return 0;
}
