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

// The first HEAD stages of the transform act inside 2^HEAD neighbouring points (after bit reversal):
// one block does the reversal of its points and all those stages in shared memory.
constexpr int HEAD = 10;
constexpr int HEADN = 1 << HEAD;
static_assert(LOGN >= HEAD, "transform too small");

// w[k] = root^k for k < n/2; blockDim.x == HEADN / 2
__global__ void __launch_bounds__(HEADN / 2) ntt_head(const u32* __restrict__ src, u32* __restrict__ dst,
                                                      const u32* __restrict__ w, int logn)
{
    __shared__ u32 s[HEADN];
    const int t = threadIdx.x;
    const int base = blockIdx.x << HEAD;
    for (int i = t; i < HEADN; i += HEADN / 2)
        s[i] = src[__brev((u32)(base + i)) >> (32 - logn)];
    __syncthreads();
    for (int st = 0; st < HEAD; ++st) {
        const int half = 1 << st;
        const int k = t & (half - 1);
        const int i = ((t - k) << 1) + k;
        const u32 u = s[i], v = mulm(s[i + half], w[k << (logn - 1 - st)]);
        s[i] = addm(u, v);
        s[i + half] = subm(u, v);
        __syncthreads();
    }
    for (int i = t; i < HEADN; i += HEADN / 2) dst[base + i] = s[i];
}

// Two consecutive stages s and s + 1 on four points held in registers.
__global__ void stage2(u32* __restrict__ a, const u32* __restrict__ w, int logn, int s)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 1 << (logn - 2)) return;
    const int q = 1 << s;
    const int k = t & (q - 1);
    const int i = ((t - k) << 2) + k;
    const u32 w1 = w[k << (logn - 1 - s)];
    const u32 w2 = w[k << (logn - 2 - s)];
    const u32 w3 = w[(k + q) << (logn - 2 - s)];
    const u32 x0 = a[i], x1 = mulm(a[i + q], w1), x2 = a[i + 2 * q], x3 = mulm(a[i + 3 * q], w1);
    const u32 y0 = addm(x0, x1), y1 = subm(x0, x1);
    const u32 y2 = mulm(addm(x2, x3), w2), y3 = mulm(subm(x2, x3), w3);
    a[i]         = addm(y0, y2);
    a[i + 2 * q] = subm(y0, y2);
    a[i + q]     = addm(y1, y3);
    a[i + 3 * q] = subm(y1, y3);
}

__global__ void stage1(u32* __restrict__ a, const u32* __restrict__ w, int logn, int s)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 1 << (logn - 1)) return;
    const int half = 1 << s;
    const int k = t & (half - 1);
    const int i = ((t - k) << 1) + k;
    const u32 u = a[i], v = mulm(a[i + half], w[k << (logn - 1 - s)]);
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
    ntt_head<<<N / HEADN, HEADN / 2>>>(src, dst, w, LOGN);
    int s = HEAD;
    for (; s + 1 < LOGN; s += 2) stage2<<<N / 512, 128>>>(dst, w, LOGN, s);
    if (s < LOGN) stage1<<<N / 512, 256>>>(dst, w, LOGN, s);
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
