// Dense layer: C = A * B for row-major float matrices, one thread per output element.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Four floats of a row from `p` on, zeros beyond `count`; `whole`: rows and pointer are 16-byte aligned.
__device__ __forceinline__ void load4(float (&r)[4], const float *p, int count, bool whole)
{
    if (whole && count >= 4) {
        const float4 v = *reinterpret_cast<const float4 *>(p);
        r[0] = v.x; r[1] = v.y; r[2] = v.z; r[3] = v.w;
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            r[j] = j < count ? p[j] : 0.0f;
    }
}

// 16 x 16 outputs by 256 threads.
__device__ __forceinline__ void small_tile(const float *A, const float *B, float *C, int m, int n, int k, int row0, int col0)
{
    __shared__ float sa[16][33], sb[32][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = row0 + ty, col = col0 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 32) {
        sa[ty][tx] = row < m && k0 + tx < k ? A[row * k + k0 + tx] : 0.0f;
        sa[ty][tx + 16] = row < m && k0 + tx + 16 < k ? A[row * k + k0 + tx + 16] : 0.0f;
        sb[ty][tx] = col < n && k0 + ty < k ? B[(k0 + ty) * n + col] : 0.0f;
        sb[ty + 16][tx] = col < n && k0 + ty + 16 < k ? B[(k0 + ty + 16) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i)
            sum = fmaf(sa[ty][i], sb[i][tx], sum);
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

// 128 x 128 outputs by 256 threads, 8 x 8 each.
__device__ __forceinline__ void large_tile(const float *A, const float *B, float *C, int m, int n, int k, int row0, int col0)
{
    __shared__ __align__(16) float as[2][8][132], bs[2][8][128];
    const int t = threadIdx.y * 16 + threadIdx.x;
    const int ty = t / 16 * 4, tx = t % 16 * 4;
    const int ar = t / 2, ak = t % 2 * 4, bk = t / 32, bc = t % 32 * 4;
    const bool a_whole = k % 4 == 0 && (reinterpret_cast<size_t>(A) & 15) == 0;
    const bool b_whole = n % 4 == 0 && (reinterpret_cast<size_t>(B) & 15) == 0;
    float ra[4], rb[4], sum[8][8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            sum[i][j] = 0.0f;
    const float *a = A + (size_t)(row0 + ar) * k + ak;
    const float *b = B + (size_t)bk * n + col0 + bc;
    load4(ra, a, row0 + ar < m ? k - ak : 0, a_whole);
    load4(rb, b, bk < k ? n - col0 - bc : 0, b_whole);
    int now = 0;
    for (int k0 = 0; k0 < k; k0 += 8) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            as[now][ak + j][ar] = ra[j];
            bs[now][bk][bc + j] = rb[j];
        }
        __syncthreads();
        if (k0 + 8 < k) {
            load4(ra, a + k0 + 8, row0 + ar < m ? k - k0 - 8 - ak : 0, a_whole);
            load4(rb, b + (size_t)(k0 + 8) * n, k0 + 8 + bk < k ? n - col0 - bc : 0, b_whole);
        }
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float x[8], y[8];
            *reinterpret_cast<float4 *>(x) = *reinterpret_cast<const float4 *>(&as[now][q][ty]);
            *reinterpret_cast<float4 *>(x + 4) = *reinterpret_cast<const float4 *>(&as[now][q][ty + 64]);
            *reinterpret_cast<float4 *>(y) = *reinterpret_cast<const float4 *>(&bs[now][q][tx]);
            *reinterpret_cast<float4 *>(y + 4) = *reinterpret_cast<const float4 *>(&bs[now][q][tx + 64]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        now ^= 1;
    }
    __syncthreads();  // before another tile is loaded
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int row = row0 + ty + i % 4 + i / 4 * 64, col = col0 + tx + j % 4 + j / 4 * 64;
            if (row < m && col < n)
                C[(size_t)row * n + col] = sum[i][j];
        }
}

__global__ void __launch_bounds__(256) matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    if (blockDim.x != 16 || blockDim.y != 16) {
        int col = blockIdx.x * blockDim.x + threadIdx.x;
        int row = blockIdx.y * blockDim.y + threadIdx.y;
        if (row >= m || col >= n)
            return;
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += A[row * k + i] * B[i * n + col];
        C[row * n + col] = sum;
        return;
    }
    const int side = m >= 1024 && n >= 1024 ? 128 : 16;
    const int across = (n + side - 1) / side;
    const int tiles = across * ((m + side - 1) / side);
    for (int tile = blockIdx.y * gridDim.x + blockIdx.x; tile < tiles; tile += gridDim.x * gridDim.y) {
        if (side == 128)
            large_tile(A, B, C, m, n, k, tile / across * 128, tile % across * 128);
        else
            small_tile(A, B, C, m, n, k, tile / across * 16, tile % across * 16);
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 192;
    int n = argc > 2 ? atoi(argv[2]) : 192;
    int k = argc > 3 ? atoi(argv[3]) : 128;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (float)((i * 37) % 101) / 101.0f - 0.5f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (float)((i * 53) % 97) / 97.0f - 0.5f;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matmul<<<grid, block>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (float x : c) total += x;
    printf("checksum %.4f\n", total);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
