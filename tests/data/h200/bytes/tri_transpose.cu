// In-place transposes of square matrices: the thread above the diagonal swaps.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// one thread per (i, j), those with i < j work
template <typename T>
__global__ void transpose_swap(T *__restrict__ a, int n, int pitch)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < j && j < n) {
        T u = a[i * pitch + j];
        T l = a[j * pitch + i];
        a[i * pitch + j] = l;
        a[j * pitch + i] = u;
    }
}

// flat index over the strict lower triangle, no idle threads; warps cross rows
__global__ void transpose_flat(volatile unsigned char *a, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n * (n - 1) / 2) return;
    int r = (int)((1.0 + sqrt(1.0 + 8.0 * k)) * 0.5);
    if (r * (r - 1) / 2 > k) --r;
    if ((r + 1) * r / 2 <= k) ++r;
    int c = k - r * (r - 1) / 2;
    unsigned char x = a[r * n + c];
    unsigned char y = a[c * n + r];
    a[r * n + c] = y;
    a[c * n + r] = x;
}

// the tile on the diagonal's other side is fetched at the same time
__global__ void transpose_tiles(float2 *a, int n)
{
    __shared__ float2 up[16][16], lo[16][16];
    int bi = blockIdx.y, bj = blockIdx.x;
    if (bj < bi) return;
    int tx = threadIdx.x, ty = threadIdx.y;
    int pu = (bi * 16 + ty) * n + bj * 16 + tx;
    int pl = (bj * 16 + ty) * n + bi * 16 + tx;
    up[ty][tx] = a[pu];
    lo[ty][tx] = a[pl];
    __syncthreads();
    a[pu] = lo[tx][ty];
    if (bi != bj)
        a[pl] = up[tx][ty];
}

static unsigned long long sum = 0;

template <typename T>
void flat_run(int n, int pitch, dim3 blk)
{
    std::vector<T> h((size_t)n * pitch);
    for (size_t i = 0; i < h.size(); ++i) h[i] = (T)(i % 120 + i / 1000);
    T *d;
    cudaMalloc(&d, h.size() * sizeof(T));
    cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    dim3 grd((n + blk.x - 1) / blk.x, (n + blk.y - 1) / blk.y);
    transpose_swap<T><<<grd, blk>>>(d, n, pitch);
    cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (size_t i = 0; i < h.size(); ++i) sum = sum * 5 + (unsigned long long)h[i];
}

int main()
{
    flat_run<float>(300, 300, dim3(7, 9));
    flat_run<long long>(250, 257, dim3(16, 16));
    flat_run<unsigned short>(500, 501, dim3(32, 2));

    const int n = 601, m = 320;
    std::vector<unsigned char> b(n * n);
    for (int i = 0; i < n * n; ++i) b[i] = (unsigned char)(i ^ i >> 7);
    unsigned char *db;
    cudaMalloc(&db, n * n);
    cudaMemcpy(db, b.data(), n * n, cudaMemcpyHostToDevice);
    const int pairs = n * (n - 1) / 2;
    transpose_flat<<<(pairs + 255) / 256, 256>>>(db, n);
    cudaMemcpy(b.data(), db, n * n, cudaMemcpyDeviceToHost);

    std::vector<float2> f(m * m);
    for (int i = 0; i < m * m; ++i) f[i] = make_float2((float)(i % 4096), (float)(i / 4096));
    float2 *df;
    cudaMalloc(&df, m * m * sizeof(float2));
    cudaMemcpy(df, f.data(), m * m * sizeof(float2), cudaMemcpyHostToDevice);
    transpose_tiles<<<dim3(m / 16, m / 16), dim3(16, 16)>>>(df, m);
    cudaMemcpy(f.data(), df, m * m * sizeof(float2), cudaMemcpyDeviceToHost);

    cudaError_t err = cudaGetLastError();
    for (int i = 0; i < n * n; ++i) sum = sum * 5 + b[i];
    for (int i = 0; i < m * m; ++i) sum = sum * 5 + (int)f[i].x * 3 + (int)f[i].y;
    printf("%s %llu\n", cudaGetErrorString(err), sum);
    cudaFree(db);
    cudaFree(df);
    return err != cudaSuccess;
}
