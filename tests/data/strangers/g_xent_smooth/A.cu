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

template <class Op>
__device__ float blockReduce(float v, float* sm, Op op)
{
    sm[threadIdx.x] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sm[threadIdx.x] = op(sm[threadIdx.x], sm[threadIdx.x + s]);
        __syncthreads();
    }
    float r = sm[0];
    __syncthreads();
    return r;
}

__global__ void row_max(const float* logits, float* mx)
{
    __shared__ float sm[THREADS];
    const float* x = logits + (size_t)blockIdx.x * VOCAB;
    float m = -INFINITY;
    for (int i = threadIdx.x; i < VOCAB; i += THREADS) m = fmaxf(m, x[i]);
    m = blockReduce(m, sm, [](float a, float b) { return fmaxf(a, b); });
    if (threadIdx.x == 0) mx[blockIdx.x] = m;
}

__global__ void row_sums(const float* logits, const float* mx, float* sumExp, float* sumLogit)
{
    __shared__ float sm[THREADS];
    const float* x = logits + (size_t)blockIdx.x * VOCAB;
    float m = mx[blockIdx.x], e = 0.f, l = 0.f;
    for (int i = threadIdx.x; i < VOCAB; i += THREADS) { e += expf(x[i] - m); l += x[i]; }
    auto add = [](float a, float b) { return a + b; };
    e = blockReduce(e, sm, add);
    l = blockReduce(l, sm, add);
    if (threadIdx.x == 0) { sumExp[blockIdx.x] = e; sumLogit[blockIdx.x] = l; }
}

__global__ void loss_grad(const float* logits, const int* label, const float* mx, const float* sumExp, const float* sumLogit,
                          float* loss, float* grad, float smooth, float gscale)
{
    int row = blockIdx.x, y = label[row];
    const float* x = logits + (size_t)row * VOCAB;
    float* g = grad + (size_t)row * VOCAB;
    float m = mx[row], s = sumExp[row];
    if (threadIdx.x == 0)
        loss[row] = y < 0 ? 0.f : m + logf(s) - (1.f - smooth) * x[y] - smooth * sumLogit[row] / VOCAB;
    for (int i = threadIdx.x; i < VOCAB; i += THREADS) {
        float d = expf(x[i] - m) / s - smooth / VOCAB - (i == y ? 1.f - smooth : 0.f);
        g[i] = y < 0 ? 0.f : d * gscale;
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

    float *dx, *dg, *dl, *dm, *de, *ds; int* dy;
    gpuErrchk(cudaMalloc(&dx, n * 4)); gpuErrchk(cudaMalloc(&dg, n * 4));
    gpuErrchk(cudaMalloc(&dl, rows * 4)); gpuErrchk(cudaMalloc(&dm, rows * 4));
    gpuErrchk(cudaMalloc(&de, rows * 4)); gpuErrchk(cudaMalloc(&ds, rows * 4));
    gpuErrchk(cudaMalloc(&dy, rows * 4));
    gpuErrchk(cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dy, label.data(), rows * 4, cudaMemcpyHostToDevice));

    row_max<<<rows, THREADS>>>(dx, dm);
    row_sums<<<rows, THREADS>>>(dx, dm, de, ds);
    loss_grad<<<rows, THREADS>>>(dx, dy, dm, de, ds, dl, dg, smooth, 1.f / valid);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(grad.data(), dg, n * 4, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(loss.data(), dl, rows * 4, cudaMemcpyDeviceToHost));

    double L = 0, g1 = 0, g2 = 0;
    for (float v : loss) L += v;
    for (float v : grad) { g1 += v; g2 += fabs((double)v); }
    printf("mean loss %.5f over %d tokens\ngrad sum %.2e  |grad|_1 %.5f\n", L / valid, valid, fabs(g1) < 1e-3 ? 0.0 : g1, g2);
    for (int r = 0; r < rows; r += 100) printf("loss[%d] %.5f\n", r, loss[r]);
    cudaFree(dx); cudaFree(dg); cudaFree(dl); cudaFree(dm); cudaFree(de); cudaFree(ds); cudaFree(dy);
    return 0;
}
