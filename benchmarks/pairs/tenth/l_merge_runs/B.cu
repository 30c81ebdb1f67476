// Merge two sorted runs of (key, row) records into one, stable (run A goes first on equal keys).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned int uint;

#define checkCuda(call) do { cudaError_t st = call; if (st != cudaSuccess) { \
    fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(st)); exit(EXIT_FAILURE); } } while (0)

struct Run {              // keys ascending
    uint *key;
    uint *row;
    int n;
};

constexpr int BLOCK = 256;
constexpr int ITEMS = 8;
constexpr int TILE = BLOCK * ITEMS;

// merge path: how many of the first `diag` merged records come from a
__device__ __forceinline__ int split(const uint *a, int na, const uint *b, int nb, int diag)
{
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1; else hi = mid;
    }
    return lo;
}

// a block makes TILE consecutive records of the output, a thread ITEMS of them
__global__ void __launch_bounds__(BLOCK)
mergeTiles(Run a, Run b, Run out)
{
    __shared__ uint sKey[TILE];        // the tile's part of a, then its part of b
    __shared__ int sSrc[TILE];
    __shared__ int sSplit[2];

    const int t = threadIdx.x;
    const int total = a.n + b.n;
    const int d0 = blockIdx.x * TILE;
    const int d1 = min(d0 + TILE, total);
    const int cnt = d1 - d0;

    if (t == 0)  sSplit[0] = split(a.key, a.n, b.key, b.n, d0);
    if (t == 32) sSplit[1] = split(a.key, a.n, b.key, b.n, d1);
    __syncthreads();
    const int a0 = sSplit[0], b0 = d0 - a0;
    const int la = sSplit[1] - a0, lb = cnt - la;

    for (int i = t; i < cnt; i += BLOCK)
        sKey[i] = i < la ? a.key[a0 + i] : b.key[b0 + i - la];
    __syncthreads();

    const int first = min(t * ITEMS, cnt);
    const int last = min(first + ITEMS, cnt);
    int i = split(sKey, la, sKey + la, lb, first);
    int j = first - i;
    for (int o = first; o < last; o++) {
        bool fromA = j >= lb || (i < la && sKey[i] <= sKey[la + j]);
        sSrc[o] = fromA ? i : la + j;
        if (fromA) i++; else j++;
    }
    __syncthreads();

    for (int o = t; o < cnt; o += BLOCK) {
        int src = sSrc[o];
        out.key[d0 + o] = sKey[src];
        out.row[d0 + o] = src < la ? a.row[a0 + src] : b.row[b0 + src - la];
    }
}

static Run makeRun(int n, uint seed, uint maxGap, uint rowBase)
{
    std::vector<uint> k(n), r(n);
    uint v = seed % 100, s = seed;
    for (int i = 0; i < n; i++) {
        s = s * 747796405u + 2891336453u;
        v += (s >> 20) % maxGap;          // gaps of zero: equal keys
        k[i] = v;
        r[i] = rowBase + (uint)i;
    }
    Run d; d.n = n;
    checkCuda(cudaMalloc(&d.key, n * sizeof(uint)));
    checkCuda(cudaMalloc(&d.row, n * sizeof(uint)));
    checkCuda(cudaMemcpy(d.key, k.data(), n * sizeof(uint), cudaMemcpyHostToDevice));
    checkCuda(cudaMemcpy(d.row, r.data(), n * sizeof(uint), cudaMemcpyHostToDevice));
    return d;
}

static void freeRun(Run &r) { checkCuda(cudaFree(r.key)); checkCuda(cudaFree(r.row)); }

static void merge(const Run &a, const Run &b, Run &out)
{
    const int total = a.n + b.n;
    if (total) mergeTiles<<<(total + TILE - 1) / TILE, BLOCK>>>(a, b, out);
    checkCuda(cudaGetLastError());
}

int main()
{
    Run a = makeRun(210007, 17u, 5, 0);
    Run b = makeRun(133331, 99u, 8, 1u << 24);
    Run out; out.n = a.n + b.n;
    checkCuda(cudaMalloc(&out.key, out.n * sizeof(uint)));
    checkCuda(cudaMalloc(&out.row, out.n * sizeof(uint)));

    merge(a, b, out);

    std::vector<uint> k(out.n), r(out.n);
    checkCuda(cudaMemcpy(k.data(), out.key, out.n * sizeof(uint), cudaMemcpyDeviceToHost));
    checkCuda(cudaMemcpy(r.data(), out.row, out.n * sizeof(uint), cudaMemcpyDeviceToHost));
    int inversions = 0;
    unsigned long long h = 0;
    for (int i = 0; i < out.n; i++) {
        if (i && (k[i - 1] > k[i] || (k[i - 1] == k[i] && r[i - 1] > r[i]))) inversions++;
        h = h * 6364136223846793005ull + (k[i] ^ ((unsigned long long)r[i] << 20));
    }
    printf("%d records, %d out of order, hash %016llx\n", out.n, inversions, h);
    printf("median key %u (row %u)\n", k[out.n / 2], r[out.n / 2]);
    freeRun(a); freeRun(b); freeRun(out);
    return 0;
}
