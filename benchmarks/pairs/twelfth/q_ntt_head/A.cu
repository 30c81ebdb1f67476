// Polynomial product modulo 998244353 with number theoretic transforms.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 P = 998244353u, G = 3u;
constexpr int LOGN = 15;
constexpr int N = 1 << LOGN;

#define CHK(x) do { cudaError_t r = (x); if (r) { printf("error: %s\n", cudaGetErrorString(r)); exit(1); } } while (0)

__host__ __device__ inline u32 mulm(u32 a, u32 b) { return (u32)((u64)a * b % P); }
__host__ __device__ inline u32 addm(u32 a, u32 b) { u32 s = a + b; return s >= P ? s - P : s; }
__host__ __device__ inline u32 subm(u32 a, u32 b) { return a >= b ? a - b : a + P - b; }

static u32 powm(u32 b, u32 e)
{
    u32 r = 1;
    for (; e; e >>= 1, b = mulm(b, b)) if (e & 1) r = mulm(r, b);
    return r;
}

__global__ void bitrev(const u32* src, u32* dst, int logn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 << logn) return;
    dst[__brev((u32)i) >> (32 - logn)] = src[i];
}

// w[k] = root^k for k < n/2
__global__ void stage(u32* a, const u32* w, int logn, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 1 << (logn - 1)) return;
    int half = 1 << s;
    int k = t & (half - 1);
    int i = ((t - k) << 1) + k;
    u32 u = a[i], v = mulm(a[i + half], w[k << (logn - 1 - s)]);
    a[i] = addm(u, v);
    a[i + half] = subm(u, v);
}

__global__ void pointwise(u32* a, const u32* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = mulm(a[i], b[i]);
}

__global__ void scale(u32* a, u32 f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = mulm(a[i], f);
}

static void transform(const u32* src, u32* dst, const u32* w)
{
    bitrev<<<N / 256, 256>>>(src, dst, LOGN);
    for (int s = 0; s < LOGN; ++s) stage<<<N / 512, 256>>>(dst, w, LOGN, s);
    CHK(cudaGetLastError());
}

int main()
{
    std::vector<u32> a(N, 0), b(N, 0), wf(N / 2), wi(N / 2), c(N);
    for (int i = 0; i < N / 2; ++i) {
        a[i] = (u32)((u64)i * i * 31 + 7u * i + 5) % P;
        b[i] = (u32)(((u64)i * 2654435761u + 12345) % P);
    }
    u32 root = powm(G, (P - 1) / N), iroot = powm(root, P - 2);
    wf[0] = wi[0] = 1;
    for (int k = 1; k < N / 2; ++k) {
        wf[k] = mulm(wf[k - 1], root);
        wi[k] = mulm(wi[k - 1], iroot);
    }

    u32 *da, *db, *ta, *tb, *dwf, *dwi;
    size_t bytes = N * sizeof(u32);
    CHK(cudaMalloc(&da, bytes)); CHK(cudaMalloc(&db, bytes));
    CHK(cudaMalloc(&ta, bytes)); CHK(cudaMalloc(&tb, bytes));
    CHK(cudaMalloc(&dwf, bytes / 2)); CHK(cudaMalloc(&dwi, bytes / 2));
    CHK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dwf, wf.data(), bytes / 2, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dwi, wi.data(), bytes / 2, cudaMemcpyHostToDevice));

    transform(da, ta, dwf);
    transform(db, tb, dwf);
    pointwise<<<N / 256, 256>>>(ta, tb, N);
    transform(ta, da, dwi);
    scale<<<N / 256, 256>>>(da, powm(N, P - 2), N);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(c.data(), da, bytes, cudaMemcpyDeviceToHost));

    // spot check against the definition
    int bad = 0;
    for (int k : {0, 1, 2, 99, 1000}) {
        u32 r = 0;
        for (int i = 0; i <= k; ++i) r = addm(r, mulm(a[i], b[k - i]));
        bad += r != c[k];
    }
    u64 h = 0;
    for (int i = 0; i < N; ++i) h = h * 1000003u + c[i];
    printf("coefficients hash %016llx, spot check errors %d\n", (unsigned long long)h, bad);
    cudaFree(da); cudaFree(db); cudaFree(ta); cudaFree(tb); cudaFree(dwf); cudaFree(dwi);
    return 0;
}
