// Level-synchronous BFS with a frontier queue; also counts shortest paths (mod 2^32).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

static void ck(cudaError_t e, int line) { if (e != cudaSuccess) { std::fprintf(stderr, "CUDA %s (line %d)\n", cudaGetErrorString(e), line); std::exit(3); } }
#define CK(x) ck((x), __LINE__)

constexpr int BS = 128, SUB = 4;                   // SUB lanes walk one adjacency list
constexpr int QCAP = 1024;                          // block queue; what does not fit goes straight to global

__global__ void __launch_bounds__(BS)
expand(const int* __restrict__ row, const int* __restrict__ col, const int* __restrict__ frontier, int nf,
       int level, int* dist, unsigned* paths, int* __restrict__ next, int* n_next)
{
    __shared__ int queue[QCAP];
    __shared__ int qn, qbase;
    if (threadIdx.x == 0) qn = 0;
    __syncthreads();

    const int g = blockIdx.x * BS + threadIdx.x;
    const int i = g / SUB;
    if (i < nf) {
        const int u = frontier[i];
        const unsigned pu = paths[u];               // u is of this level: nobody adds to it now
        const int end = row[u + 1];
        for (int e = row[u] + g % SUB; e < end; e += SUB) {
            const int w = col[e];
            const int old = atomicCAS(&dist[w], -1, level + 1);
            if (old == -1) {
                const int at = atomicAdd(&qn, 1);
                if (at < QCAP) queue[at] = w;
                else next[atomicAdd(n_next, 1)] = w;
            }
            if (old == -1 || old == level + 1) atomicAdd(&paths[w], pu);
        }
    }
    __syncthreads();
    const int m = min(qn, QCAP);
    if (threadIdx.x == 0 && m > 0) qbase = atomicAdd(n_next, m);
    __syncthreads();
    for (int k = threadIdx.x; k < m; k += BS) next[qbase + k] = queue[k];
}

int main()
{
    const int v = 30000, maxLevels = 10;
    std::vector<int> row(v + 1, 0), col;
    unsigned s = 123;
    auto rnd = [&] { s = s * 1103515245u + 12345u; return s >> 10; };
    for (int u = 0; u < v; ++u) {
        int deg = 6 + rnd() % 12;
        for (int k = 0; k < deg; ++k) {
            int w = rnd() % v;
            if (k % 3 == 0) w = (u + 1 + rnd() % 50) % v;
            col.push_back(w);
        }
        row[u + 1] = (int)col.size();
    }
    int *drow, *dcol, *ddist, *fa, *fb, *dn; unsigned* dpaths;
    CK(cudaMalloc(&drow, (v + 1) * sizeof(int)));
    CK(cudaMalloc(&dcol, col.size() * sizeof(int)));
    CK(cudaMalloc(&ddist, v * sizeof(int)));
    CK(cudaMalloc(&dpaths, v * sizeof(unsigned)));
    CK(cudaMalloc(&fa, v * sizeof(int)));
    CK(cudaMalloc(&fb, v * sizeof(int)));
    CK(cudaMalloc(&dn, sizeof(int)));
    CK(cudaMemcpy(drow, row.data(), (v + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dcol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemset(ddist, 0xff, v * sizeof(int)));
    CK(cudaMemset(dpaths, 0, v * sizeof(unsigned)));
    const int src = 42, zero = 0;
    const unsigned one = 1;
    CK(cudaMemcpy(ddist + src, &zero, sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dpaths + src, &one, sizeof(unsigned), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(fa, &src, sizeof(int), cudaMemcpyHostToDevice));

    int nf = 1, level = 0;
    while (nf > 0 && level < maxLevels) {
        CK(cudaMemset(dn, 0, sizeof(int)));
        expand<<<(nf * SUB + BS - 1) / BS, BS>>>(drow, dcol, fa, nf, level, ddist, dpaths, fb, dn);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&nf, dn, sizeof(int), cudaMemcpyDeviceToHost));
        std::printf("level %d: %d vertices\n", ++level, nf);
        std::swap(fa, fb);
    }
    std::vector<int> dist(v);
    std::vector<unsigned> paths(v);
    CK(cudaMemcpy(dist.data(), ddist, v * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(paths.data(), dpaths, v * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long h = 14695981039346656037ull;
    long far = 0;
    for (int u = 0; u < v; ++u) { h = (h ^ (unsigned)dist[u]) * 1099511628211ull; h = (h ^ paths[u]) * 1099511628211ull; far += dist[u]; }
    std::printf("sum of distances %ld hash %016llx\n", far, h);
    cudaFree(drow); cudaFree(dcol); cudaFree(ddist); cudaFree(dpaths); cudaFree(fa); cudaFree(fb); cudaFree(dn);
    return 0;
}
