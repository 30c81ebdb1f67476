// Greedy decoding: pick the best token of every sequence (lowest id wins a tie),
// after a repetition penalty. Log-probabilities or raw logits, both are used by callers.
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define GPU(x)                                                                       \
    do {                                                                             \
        cudaError_t rc = (x);                                                        \
        if (rc) { fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorName(rc)); abort(); } \
    } while (0)

static const int NT = 512;

__device__ __forceinline__ float penalise(float v, int uses, float pen)
{
    if (uses == 0) return v;
    return v > 0.f ? v / pen : v * pen;
}

// Value and index travel together in one 64-bit key: value bits above, inverted index below,
// so that a plain integer max prefers the larger value and, among equals, the lower id.
__device__ __forceinline__ long long make_key(float v, int i)
{
    v += 0.f;   // -0 and +0 compare equal
    return ((long long)__float_as_int(v) << 32) | (unsigned)~i;
}

__device__ __forceinline__ long long kmax(long long a, long long b) { return a > b ? a : b; }

// SPLIT blocks share one sequence, each takes a contiguous part of the vocabulary
static const int SPLIT = 8;

__global__ void __launch_bounds__(NT)
pick_part(const float* __restrict__ logits, const unsigned char* __restrict__ uses, int V, float pen, long long* keys)
{
    __shared__ long long ws[NT / 32];
    const float* L = logits + (size_t)blockIdx.y * V;
    const unsigned char* U = uses + (size_t)blockIdx.y * V;
    const int per = (V + SPLIT - 1) / SPLIT;
    const int lo = blockIdx.x * per;
    const int hi = min(lo + per, V);

    long long k = make_key(-FLT_MAX, 0x7fffffff);
    for (int i = lo + (int)threadIdx.x; i < hi; i += NT)
        k = kmax(k, make_key(penalise(L[i], U[i], pen), i));
    for (int o = 16; o; o >>= 1) k = kmax(k, __shfl_xor_sync(0xffffffffu, k, o));
    if ((threadIdx.x & 31) == 0) ws[threadIdx.x >> 5] = k;
    __syncthreads();
    if (threadIdx.x < 32) {
        k = ws[threadIdx.x & (NT / 32 - 1)];
        for (int o = NT / 64; o; o >>= 1) k = kmax(k, __shfl_xor_sync(0xffffffffu, k, o));
        if (threadIdx.x == 0) keys[blockIdx.y * SPLIT + blockIdx.x] = k;
    }
}

__global__ void pick_final(const long long* __restrict__ keys, int B, int* tok, float* val)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= B) return;
    long long k = keys[b * SPLIT];
    for (int s = 1; s < SPLIT; s++) k = kmax(k, keys[b * SPLIT + s]);
    tok[b] = (int)~(unsigned)(k & 0xffffffffLL);
    val[b] = __int_as_float((int)(k >> 32));
}

int main()
{
    const int B = 40, V = 32000;
    std::vector<float> L((size_t)B * V);
    std::vector<unsigned char> U((size_t)B * V, 0);
    for (int b = 0; b < B; b++) {
        unsigned s = 1234567u + 7u * b;
        for (int i = 0; i < V; i++) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            // quantised to 1/64, so ties do happen
            L[(size_t)b * V + i] = (float)((int)(s >> 20) - 2600) / 64.f;
            if ((s & 1023) == 5) U[(size_t)b * V + i] = 1;
        }
    }
    float *dL, *dv;
    unsigned char* dU;
    int* dt;
    GPU(cudaMalloc((void**)&dL, L.size() * 4));
    GPU(cudaMalloc((void**)&dU, U.size()));
    GPU(cudaMalloc((void**)&dt, B * sizeof(int)));
    GPU(cudaMalloc((void**)&dv, B * sizeof(float)));
    GPU(cudaMemcpy(dL, L.data(), L.size() * 4, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dU, U.data(), U.size(), cudaMemcpyHostToDevice));

    long long* dk;
    GPU(cudaMalloc((void**)&dk, (size_t)B * SPLIT * sizeof(long long)));
    pick_part<<<dim3(SPLIT, B), NT>>>(dL, dU, V, 1.3f, dk);
    pick_final<<<(B + 63) / 64, 64>>>(dk, B, dt, dv);
    GPU(cudaGetLastError());

    std::vector<int> t(B);
    std::vector<float> v(B);
    GPU(cudaMemcpy(t.data(), dt, B * sizeof(int), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(v.data(), dv, B * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) printf("%d:%.3f%c", t[b], v[b], b % 8 == 7 ? '\n' : ' ');
    GPU(cudaFree(dL)); GPU(cudaFree(dU)); GPU(cudaFree(dt)); GPU(cudaFree(dv)); GPU(cudaFree(dk));
    return 0;
}
