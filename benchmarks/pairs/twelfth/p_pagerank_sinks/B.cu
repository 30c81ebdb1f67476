// PageRank, pull form over the transposed graph, one fused kernel per iteration.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace {

void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e));
    exit(3);
}

template <typename T>
T *toDevice(const std::vector<T> &h)
{
    T *d = nullptr;
    must(cudaMalloc((void **)&d, h.size() * sizeof(T)));
    must(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

constexpr double DAMP = 0.85;

constexpr int LANES = 8;            // threads per page

// first contributions; also turns degrees into reciprocals once for all iterations
__global__ void prepare(const double *rank, const int *outDeg, double *invDeg, double *contrib, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    double inv = outDeg[v] ? 1.0 / outDeg[v] : 0.0;
    invDeg[v] = inv;
    contrib[v] = rank[v] * inv;
}

// one launch per iteration: 8 lanes gather for a page, lane 0 writes the new rank and
// the page's contribution to the next iteration (ping-pong buffers)
__global__ void pull(const int *__restrict__ inRow, const int *__restrict__ inCol,
                     const double *__restrict__ contrib, const double *__restrict__ invDeg,
                     double *__restrict__ nextContrib, double *__restrict__ rank, int n)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    double s = 0;
    if (v < n)
        for (int e = inRow[v] + lane; e < inRow[v + 1]; e += LANES) s += __ldg(&contrib[inCol[e]]);
    for (int d = LANES / 2; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d, LANES);
    if (lane == 0 && v < n) {
        const double r = (1.0 - DAMP) / n + DAMP * s;
        rank[v] = r;
        nextContrib[v] = r * invDeg[v];
    }
}

} // namespace

int main()
{
    const int n = 20000, iterations = 20;
    // web-like: every page links to a few pages, preferably to low numbers
    std::vector<int> outDeg(n, 0), src, dst;
    uint64_t s = 0x9E3779B97F4A7C15ull;
    for (int u = 0; u < n; u++) {
        int links = 1 + (int)((s >> 40) % 9);
        for (int k = 0; k < links; k++) {
            s ^= s << 13; s ^= s >> 7; s ^= s << 17;
            double x = (double)(s >> 11) / 9007199254740992.0;
            int v = (int)(x * x * n);
            src.push_back(u);
            dst.push_back(v);
            outDeg[u]++;
        }
    }
    std::vector<int> inRow(n + 1, 0), inCol(src.size());
    for (int v : dst) inRow[v + 1]++;
    for (int v = 0; v < n; v++) inRow[v + 1] += inRow[v];
    std::vector<int> fill(inRow.begin(), inRow.end() - 1);
    for (size_t e = 0; e < src.size(); e++) inCol[fill[dst[e]]++] = src[e];

    std::vector<double> rank(n, 1.0 / n), zero(n, 0.0);
    int *dRow = toDevice(inRow), *dCol = toDevice(inCol), *dDeg = toDevice(outDeg);
    double *dRank = toDevice(rank), *dContrib = toDevice(zero), *dNext = toDevice(zero), *dInv = toDevice(zero);

    prepare<<<(n + 255) / 256, 256>>>(dRank, dDeg, dInv, dContrib, n);
    const int grid = (n * LANES + 255) / 256;
    for (int it = 0; it < iterations; it++) {
        pull<<<grid, 256>>>(dRow, dCol, dContrib, dInv, dNext, dRank, n);
        std::swap(dContrib, dNext);
    }
    must(cudaGetLastError());
    must(cudaMemcpy(rank.data(), dRank, n * sizeof(double), cudaMemcpyDeviceToHost));

    double sum = 0;
    int top = 0;
    for (int v = 0; v < n; v++) { sum += rank[v]; if (rank[v] > rank[top]) top = v; }
    printf("sum %.9f, top page %d with %.9f, page 12345: %.6e\n", sum, top, rank[top], rank[12345]);
    cudaFree(dRow); cudaFree(dCol); cudaFree(dDeg); cudaFree(dRank); cudaFree(dContrib); cudaFree(dNext); cudaFree(dInv);
    return 0;
}
