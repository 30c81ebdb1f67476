// PageRank, pull form over the transposed graph, sinks spread their rank evenly.
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

__global__ void sinkMass(const double *rank, const int *outDeg, double *mass, int n)
{
    __shared__ double sh[256];
    double s = 0;
    for (int v = blockIdx.x * 256 + threadIdx.x; v < n; v += gridDim.x * 256)
        if (outDeg[v] == 0) s += rank[v];
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(mass, sh[0]);
}

__global__ void contributions(const double *rank, const int *outDeg, double *contrib, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) contrib[v] = outDeg[v] ? rank[v] / outDeg[v] : 0.0;
}

__global__ void pull(const int *inRow, const int *inCol, const double *contrib,
                     const double *mass, double *rank, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    double s = 0;
    for (int e = inRow[v]; e < inRow[v + 1]; e++) s += contrib[inCol[e]];
    rank[v] = (1.0 - DAMP) / n + DAMP * (s + *mass / n);
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
    double *dRank = toDevice(rank), *dContrib = toDevice(zero), *dMass = nullptr;
    must(cudaMalloc((void **)&dMass, sizeof(double)));

    const int grid = (n + 255) / 256;
    for (int it = 0; it < iterations; it++) {
        must(cudaMemset(dMass, 0, sizeof(double)));
        sinkMass<<<32, 256>>>(dRank, dDeg, dMass, n);
        contributions<<<grid, 256>>>(dRank, dDeg, dContrib, n);
        pull<<<grid, 256>>>(dRow, dCol, dContrib, dMass, dRank, n);
    }
    must(cudaGetLastError());
    must(cudaMemcpy(rank.data(), dRank, n * sizeof(double), cudaMemcpyDeviceToHost));

    double sum = 0;
    int top = 0;
    for (int v = 0; v < n; v++) { sum += rank[v]; if (rank[v] > rank[top]) top = v; }
    printf("sum %.9f, top page %d with %.9f, page 12345: %.6e\n", sum, top, rank[top], rank[12345]);
    cudaFree(dRow); cudaFree(dCol); cudaFree(dDeg); cudaFree(dRank); cudaFree(dContrib); cudaFree(dMass);
    return 0;
}
