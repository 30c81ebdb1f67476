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

__global__ void pick(const float* logits, const unsigned char* uses, int V, float pen, int* tok, float* val)
{
    __shared__ float sv[NT];
    __shared__ int si[NT];
    const float* L = logits + (size_t)blockIdx.x * V;
    const unsigned char* U = uses + (size_t)blockIdx.x * V;

    float best = -FLT_MAX;
    int bi = 0x7fffffff;
    for (int i = threadIdx.x; i < V; i += NT) {
        float v = penalise(L[i], U[i], pen);
        if (v > best || (v == best && i < bi)) { best = v; bi = i; }
    }
    sv[threadIdx.x] = best;
    si[threadIdx.x] = bi;
    __syncthreads();
    for (int h = NT >> 1; h; h >>= 1) {
        if (threadIdx.x < h) {
            float ov = sv[threadIdx.x + h];
            int oi = si[threadIdx.x + h];
            if (ov > sv[threadIdx.x] || (ov == sv[threadIdx.x] && oi < si[threadIdx.x])) {
                sv[threadIdx.x] = ov;
                si[threadIdx.x] = oi;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        tok[blockIdx.x] = si[0];
        val[blockIdx.x] = sv[0];
    }
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

    pick<<<B, NT>>>(dL, dU, V, 1.3f, dt, dv);
    GPU(cudaGetLastError());

    std::vector<int> t(B);
    std::vector<float> v(B);
    GPU(cudaMemcpy(t.data(), dt, B * sizeof(int), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(v.data(), dv, B * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) printf("%d:%.3f%c", t[b], v[b], b % 8 == 7 ? '\n' : ' ');
    GPU(cudaFree(dL)); GPU(cudaFree(dU)); GPU(cudaFree(dt)); GPU(cudaFree(dv));
    return 0;
}
