// Switch-style mixture of experts: top-1 router, fixed expert capacity, tokens over capacity pass through.
// Tokens of an expert are kept in sequence order, the later ones are dropped when the expert is full.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHK(c) do { cudaError_t s = c; if (s != cudaSuccess) { printf("%s failed: %s\n", #c, cudaGetErrorString(s)); exit(1); } } while (0)

constexpr int T = 3072;       // tokens
constexpr int E = 8;          // experts
constexpr int D = 48;         // model dim
constexpr int CAP = 480;      // capacity = 1.25 * T / E

__global__ void router(const float* x, const float* wr, int* expert, float* gate)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= T) return;
    float lg[E];
    for (int e = 0; e < E; e++) {
        float s = 0.f;
        for (int d = 0; d < D; d++) s += x[t * D + d] * wr[e * D + d];
        lg[e] = s;
    }
    int b = 0;
    for (int e = 1; e < E; e++) if (lg[e] > lg[b]) b = e;
    float z = 0.f;
    for (int e = 0; e < E; e++) z += expf(lg[e] - lg[b]);
    expert[t] = b;
    gate[t] = 1.f / z;
}

// one warp per expert walks over the tokens in order
__global__ void assign_slots(const int* expert, int* slot, int* load)
{
    int e = blockIdx.x, lane = threadIdx.x;
    int used = 0;
    for (int t0 = 0; t0 < T; t0 += 32) {
        int t = t0 + lane;
        bool mine = t < T && expert[t] == e;
        unsigned m = __ballot_sync(0xffffffffu, mine);
        if (mine) {
            int s = used + __popc(m & ((1u << lane) - 1u));
            slot[t] = s < CAP ? e * CAP + s : -1;
        }
        used += __popc(m);
    }
    if (lane == 0) load[e] = used;
}

__global__ void dispatch(const float* x, const int* slot, float* buf)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * D) return;
    int t = i / D, d = i % D;
    if (slot[t] >= 0) buf[(size_t)slot[t] * D + d] = x[i];
}

// y = relu(W_e x + b_e)
__global__ void expert_ffn(const float* buf, const float* w, const float* b, const int* load, float* y)
{
    int e = blockIdx.y;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = i / D, o = i % D;
    if (s >= min(load[e], CAP)) return;
    const float* in = buf + ((size_t)e * CAP + s) * D;
    float a = b[e * D + o];
    for (int d = 0; d < D; d++) a += w[((size_t)e * D + o) * D + d] * in[d];
    y[((size_t)e * CAP + s) * D + o] = fmaxf(a, 0.f);
}

__global__ void combine(const float* x, const float* y, const int* slot, const float* gate, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * D) return;
    int t = i / D, d = i % D;
    int s = slot[t];
    out[i] = s < 0 ? x[i] : x[i] + gate[t] * y[(size_t)s * D + d];
}

template <class V> V* to_device(const std::vector<V>& h)
{
    V* p;
    CHK(cudaMalloc(&p, h.size() * sizeof(V)));
    CHK(cudaMemcpy(p, h.data(), h.size() * sizeof(V), cudaMemcpyHostToDevice));
    return p;
}

int main()
{
    std::vector<float> x(T * D), wr(E * D), w(E * D * D), b(E * D), out(T * D);
    unsigned s = 3;
    auto u = [&]() { s = s * 1664525u + 1013904223u; return (s >> 9) / 4194304.f - 1.f; };
    for (auto& v : w) v = 0.2f * u();
    for (auto& v : b) v = 0.1f * u();
    for (auto& v : wr) v = 0.05f * u();
    for (int e = 0; e < E; e++) wr[e * D + e] += 1.f;
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++) x[t * D + d] = u() + (d == (t * 5 + t / 64) % E ? 2.2f : 0.f);

    float *dx = to_device(x), *dwr = to_device(wr), *dw = to_device(w), *db = to_device(b);
    float *dg, *dbuf, *dy, *dout; int *dex, *dslot, *dload;
    CHK(cudaMalloc(&dg, T * sizeof(float)));
    CHK(cudaMalloc(&dbuf, E * CAP * D * sizeof(float)));
    CHK(cudaMalloc(&dy, E * CAP * D * sizeof(float)));
    CHK(cudaMalloc(&dout, T * D * sizeof(float)));
    CHK(cudaMalloc(&dex, T * sizeof(int)));
    CHK(cudaMalloc(&dslot, T * sizeof(int)));
    CHK(cudaMalloc(&dload, E * sizeof(int)));

    router<<<(T + 127) / 128, 128>>>(dx, dwr, dex, dg);
    assign_slots<<<E, 32>>>(dex, dslot, dload);
    dispatch<<<(T * D + 255) / 256, 256>>>(dx, dslot, dbuf);
    expert_ffn<<<dim3((CAP * D + 191) / 192, E), 192>>>(dbuf, dw, db, dload, dy);
    combine<<<(T * D + 255) / 256, 256>>>(dx, dy, dslot, dg, dout);
    CHK(cudaGetLastError());

    std::vector<int> load(E);
    CHK(cudaMemcpy(out.data(), dout, T * D * sizeof(float), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(load.data(), dload, E * sizeof(int), cudaMemcpyDeviceToHost));
    double sum = 0; int dropped = 0;
    for (int i = 0; i < T * D; i++) sum += out[i] * (1.0 + (i % 17) * 0.1);
    for (int e = 0; e < E; e++) { printf("%d ", load[e]); if (load[e] > CAP) dropped += load[e] - CAP; }
    printf("| dropped %d | checksum %.4f\n", dropped, sum);
    for (float* p : {dx, dwr, dw, db, dg, dbuf, dy, dout}) cudaFree(p);
    for (int* p : {dex, dslot, dload}) cudaFree(p);
    return 0;
}
