// per-cell accumulation of integer charges from a CSR particle list, several frames
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NCH 6
#define FRAMES 5

static void must(cudaError_t e, int l) { if (e != cudaSuccess) { printf("L%d: %s\n", l, cudaGetErrorString(e)); exit(1); } }
#define MUST(x) must((x), __LINE__)

__global__ void deposit(const int* start, const int* charge, int* field, int ncell, int frame)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= ncell) return;
    int* f = field + c * NCH;
    // field is cleared by the caller
    for (int p = start[c]; p < start[c + 1]; ++p) {
        int q = charge[p] + frame;
        f[(p + frame) % NCH] += q;
    }
}

__global__ void reduce_field(const int* field, int total, unsigned long long* sum)
{
    unsigned long long s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x)
        s += (unsigned long long)(field[i] * (long long)(i % 11 + 1));
    atomicAdd(sum, s);
}

int main()
{
    const int ncell = 15013;
    std::vector<int> start(ncell + 1), charge;
    unsigned s = 9;
    for (int c = 0; c < ncell; ++c) {
        start[c] = (int)charge.size();
        s = s * 1664525u + 1013904223u;
        int m = (s >> 20) % 7;
        for (int k = 0; k < m; ++k) { s = s * 1664525u + 1013904223u; charge.push_back((int)((s >> 16) % 200) - 100); }
    }
    start[ncell] = (int)charge.size();
    int *ds, *dc, *df; unsigned long long* dsum;
    MUST(cudaMalloc(&ds, start.size() * sizeof(int)));
    MUST(cudaMalloc(&dc, charge.size() * sizeof(int)));
    MUST(cudaMalloc(&df, ncell * NCH * sizeof(int)));
    MUST(cudaMalloc(&dsum, sizeof(*dsum)));
    MUST(cudaMemcpy(ds, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dc, charge.data(), charge.size() * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaMemset(dsum, 0, sizeof(*dsum)));
    for (int frame = 0; frame < FRAMES; ++frame) {
        MUST(cudaMemsetAsync(df, 0, ncell * NCH * sizeof(int)));
        deposit<<<(ncell + 127) / 128, 128>>>(ds, dc, df, ncell, frame);
        reduce_field<<<30, 128>>>(df, ncell * NCH, dsum);
    }
    MUST(cudaDeviceSynchronize());
    unsigned long long h = 0;
    MUST(cudaMemcpy(&h, dsum, sizeof(h), cudaMemcpyDeviceToHost));
    printf("%d particles, field sum %lld\n", (int)charge.size(), (long long)h);
    cudaFree(ds); cudaFree(dc); cudaFree(df); cudaFree(dsum);
    return 0;
}
