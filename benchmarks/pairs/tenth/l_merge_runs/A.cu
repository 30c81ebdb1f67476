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

// number of keys < k
__device__ int lowerBound(const uint *a, int n, uint k)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] < k) lo = mid + 1; else hi = mid;
    }
    return lo;
}

// number of keys <= k
__device__ int upperBound(const uint *a, int n, uint k)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= k) lo = mid + 1; else hi = mid;
    }
    return lo;
}

__global__ void placeFirst(Run a, Run b, Run out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.n) return;
    uint k = a.key[i];
    int p = i + lowerBound(b.key, b.n, k);
    out.key[p] = k;
    out.row[p] = a.row[i];
}

__global__ void placeSecond(Run a, Run b, Run out)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= b.n) return;
    uint k = b.key[j];
    int p = j + upperBound(a.key, a.n, k);
    out.key[p] = k;
    out.row[p] = b.row[j];
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
    if (a.n) placeFirst<<<(a.n + 255) / 256, 256>>>(a, b, out);
    checkCuda(cudaGetLastError());
    if (b.n) placeSecond<<<(b.n + 255) / 256, 256>>>(a, b, out);
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
