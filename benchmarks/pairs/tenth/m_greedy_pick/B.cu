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

#define PER_BLOCK 2048

// Value in the upper half, complemented id in the lower half: one 64-bit max does both the
// comparison of the values and "the lowest id wins a tie".
__device__ __forceinline__ long long packKey(float v, int id)
{
    return ((long long)__float_as_int(v) << 32) | (unsigned)(0xffffffffu - (unsigned)id);
}

__global__ void clearKeys(long long *key, int batch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < batch) key[row] = (long long)0x8000000000000000ull;
}

// grid: (chunks of the vocabulary, batch)
__global__ void __launch_bounds__(NT)
pickGreedy(const float * __restrict__ logits, const unsigned char * __restrict__ seen, int vocab,
           float penalty, long long *key)
{
    const int row = blockIdx.y, t = threadIdx.x;
    const float *L = logits + (size_t)row * vocab;
    const unsigned char *S = seen + (size_t)row * vocab;
    const int lo = blockIdx.x * PER_BLOCK, hi = min(vocab, lo + PER_BLOCK);

    long long k = (long long)0x8000000000000000ull;
    #pragma unroll 4
    for (int i = lo + t; i < hi; i += NT)
        k = max(k, packKey(penalized(__ldg(L + i), __ldg(S + i), penalty), i));
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        k = max(k, __shfl_down_sync(0xffffffffu, k, o));
    if ((t & 31) == 0) atomicMax(&key[row], k);
}

// decode the keys and mark the chosen tokens
__global__ void finish(const long long *key, unsigned char *seen, int vocab, int batch, int *token, float *best)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= batch) return;
    long long k = key[row];
    int id = (int)(0xffffffffu - (unsigned)(k & 0xffffffffll));
    token[row] = id;
    best[row] = __int_as_float((int)(k >> 32));
    seen[(size_t)row * vocab + id] = 1;
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
    float *dL, *dB; unsigned char *dS; int *dT; long long *dK;
    CHECK(cudaMalloc((void **)&dK, batch * sizeof(long long)));
    CHECK(cudaMalloc((void **)&dL, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&dS, n));
    CHECK(cudaMalloc((void **)&dT, batch * sizeof(int)));
    CHECK(cudaMalloc((void **)&dB, batch * sizeof(float)));
    CHECK(cudaMemcpy(dL, logits.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dS, 0, n));

    vector<int> tok(batch); vector<float> best(batch);
    for (int st = 0; st < steps; st++) {
        clearKeys<<<1, 64>>>(dK, batch);
        pickGreedy<<<dim3((vocab + PER_BLOCK - 1) / PER_BLOCK, batch), NT>>>(dL, dS, vocab, 1.3f, dK);
        CHECK(cudaGetLastError());
        finish<<<1, 64>>>(dK, dS, vocab, batch, dT, dB);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(tok.data(), dT, batch * sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(best.data(), dB, batch * sizeof(float), cudaMemcpyDeviceToHost));
        printf("step %d:", st);
        for (int b = 0; b < batch; b += 8) printf(" %d(%.3f)", tok[b], best[b]);
        long long sum = 0;
        for (int b = 0; b < batch; b++) sum += (long long)tok[b] * (b + 1);
        printf("  sum %lld\n", sum);
    }
    cudaFree(dL); cudaFree(dS); cudaFree(dT); cudaFree(dB); cudaFree(dK);
    return 0;
}
