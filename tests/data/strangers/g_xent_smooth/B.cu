// Cross entropy with label smoothing, forward and gradient, for a language-model head.
// Rows with label < 0 are ignored (padding).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }

constexpr int VOCAB = 4000;
constexpr int THREADS = 256;

constexpr int WARPS = THREADS / 32;
static_assert(VOCAB % 4 == 0, "rows are read as float4");
static_assert(VOCAB * sizeof(float) + 256 <= 48 * 1024, "a row has to fit into shared memory");

__device__ __forceinline__ float warpMax(float v)
{
    #pragma unroll
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
__device__ __forceinline__ float warpAdd(float v)
{
    #pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// Everything of a row in one block: the logits are read once from global memory and kept in shared memory, where
// they are replaced by their exponentials (each thread touches only its own float4s there).
__global__ void __launch_bounds__(THREADS)
xent_fused(const float* __restrict__ logits, const int* __restrict__ label, float* __restrict__ loss,
           float* __restrict__ grad, float smooth, float gscale)
{
    __shared__ float4 buf[VOCAB / 4];
    __shared__ float redMax[WARPS], redExp[WARPS], redLog[WARPS];
    const int row = blockIdx.x, y = label[row];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float4* x = reinterpret_cast<const float4*>(logits + (size_t)row * VOCAB);
    float4* g = reinterpret_cast<float4*>(grad + (size_t)row * VOCAB);

    if (y < 0) {                                    // uniform for the block
        for (int i = threadIdx.x; i < VOCAB / 4; i += THREADS) g[i] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (threadIdx.x == 0) loss[row] = 0.f;
        return;
    }

    float m = -INFINITY, l = 0.f;
    for (int i = threadIdx.x; i < VOCAB / 4; i += THREADS) {
        float4 v = x[i];
        buf[i] = v;
        m = fmaxf(fmaxf(m, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
        l += (v.x + v.y) + (v.z + v.w);
    }
    m = warpMax(m);
    l = warpAdd(l);
    if (lane == 0) { redMax[warp] = m; redLog[warp] = l; }
    __syncthreads();
    m = redMax[0]; l = redLog[0];
    #pragma unroll
    for (int w = 1; w < WARPS; w++) { m = fmaxf(m, redMax[w]); l += redLog[w]; }

    float e = 0.f;
    for (int i = threadIdx.x; i < VOCAB / 4; i += THREADS) {
        float4 v = buf[i];
        v.x = expf(v.x - m); v.y = expf(v.y - m); v.z = expf(v.z - m); v.w = expf(v.w - m);
        buf[i] = v;
        e += (v.x + v.y) + (v.z + v.w);
    }
    e = warpAdd(e);
    if (lane == 0) redExp[warp] = e;
    __syncthreads();
    e = redExp[0];
    #pragma unroll
    for (int w = 1; w < WARPS; w++) e += redExp[w];

    if (threadIdx.x == 0)
        loss[row] = m + logf(e) - (1.f - smooth) * logits[(size_t)row * VOCAB + y] - smooth * l / VOCAB;
    const float inv = 1.f / e, off = smooth / VOCAB, hit = 1.f - smooth;
    for (int i = threadIdx.x; i < VOCAB / 4; i += THREADS) {
        float4 v = buf[i];
        const int c = y - 4 * i;                    // 0..3: the label is in this group
        v.x = (v.x * inv - off - (c == 0 ? hit : 0.f)) * gscale;
        v.y = (v.y * inv - off - (c == 1 ? hit : 0.f)) * gscale;
        v.z = (v.z * inv - off - (c == 2 ? hit : 0.f)) * gscale;
        v.w = (v.w * inv - off - (c == 3 ? hit : 0.f)) * gscale;
        g[i] = v;
    }
}

int main()
{
    const int rows = 640;
    const float smooth = 0.1f;
    size_t n = (size_t)rows * VOCAB;
    std::vector<float> x(n), grad(n), loss(rows);
    std::vector<int> label(rows);
    unsigned s = 1;
    int valid = 0;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < VOCAB; i++) {
            s = s * 1664525u + 1013904223u;
            float a = (s >> 8) / 16777216.f;
            x[(size_t)r * VOCAB + i] = 8.f * a * a * a - 3.f + (r % 50 == 3 ? 90.f : 0.f);
        }
        s = s * 1664525u + 1013904223u;
        label[r] = r % 13 == 12 ? -1 : (int)((s >> 8) % VOCAB);
        if (label[r] >= 0) { x[(size_t)r * VOCAB + label[r]] += 4.f; valid++; }
    }

    float *dx, *dg, *dl; int* dy;
    gpuErrchk(cudaMalloc(&dx, n * 4)); gpuErrchk(cudaMalloc(&dg, n * 4));
    gpuErrchk(cudaMalloc(&dl, rows * 4));
    gpuErrchk(cudaMalloc(&dy, rows * 4));
    gpuErrchk(cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dy, label.data(), rows * 4, cudaMemcpyHostToDevice));

    xent_fused<<<rows, THREADS>>>(dx, dy, dl, dg, smooth, 1.f / valid);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(grad.data(), dg, n * 4, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(loss.data(), dl, rows * 4, cudaMemcpyDeviceToHost));

    double L = 0, g1 = 0, g2 = 0;
    for (float v : loss) L += v;
    for (float v : grad) { g1 += v; g2 += fabs((double)v); }
    printf("mean loss %.5f over %d tokens\ngrad sum %.2e  |grad|_1 %.5f\n", L / valid, valid, fabs(g1) < 1e-3 ? 0.0 : g1, g2);
    for (int r = 0; r < rows; r += 100) printf("loss[%d] %.5f\n", r, loss[r]);
    cudaFree(dx); cudaFree(dg); cudaFree(dl); cudaFree(dy);
    return 0;
}
