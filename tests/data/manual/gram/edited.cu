// Gram matrix of n vectors of length d: G = X X^T (kernel methods, style transfer).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

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

// 128 x 128 outputs of P Q^T by 256 threads, 8 x 8 each; rows of P and Q are d long. sum: rows ty + {0..3, 64..67}, columns tx + {0..3, 64..67}.
__device__ __forceinline__ void large_tile(float (&sum)[8][8], const float *P, const float *Q, int p_rows, int q_rows, int d, int row0, int col0, int t)
{
    __shared__ __align__(16) float ps[2][8][132], qs[2][8][132];
    const int ty = t / 16 * 4, tx = t % 16 * 4;
    const int r = t / 2, c = t % 2 * 4;
    const bool whole = d % 4 == 0 && ((reinterpret_cast<size_t>(P) | reinterpret_cast<size_t>(Q)) & 15) == 0;
    float rp[1][4], rq[1][4];
#pragma unroll
    for (int s = 0; s < 1; ++s)
        load4(rp[s], P + (size_t)(row0 + r + s * 128) * d  + c, row0 + r + s * 128 < p_rows ? d  - c : 0, whole);
#pragma unroll
    for (int s = 0; s < 1; ++s)
        load4(rq[s], Q + (size_t)(col0 + r + s * 128) * d  + c, col0 + r + s * 128 < q_rows ? d  - c : 0, whole);
    int now = 0;
    for (int k0 = 0; k0 < d; k0 += 8) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int s = 0; s < 1; ++s)
                ps[now][c + j][r + s * 128] = rp[s][j];
#pragma unroll
            for (int s = 0; s < 1; ++s)
                qs[now][c + j][r + s * 128] = rq[s][j];
        }
        __syncthreads();
        if (k0 + 8 < d) {
#pragma unroll
            for (int s = 0; s < 1; ++s)
                load4(rp[s], P + (size_t)(row0 + r + s * 128) * d + (k0 + 8) + c, row0 + r + s * 128 < p_rows ? d - (k0 + 8) - c : 0, whole);
#pragma unroll
            for (int s = 0; s < 1; ++s)
                load4(rq[s], Q + (size_t)(col0 + r + s * 128) * d + (k0 + 8) + c, col0 + r + s * 128 < q_rows ? d - (k0 + 8) - c : 0, whole);
        }
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float x[8], y[8];
            *reinterpret_cast<float4 *>(x) = *reinterpret_cast<const float4 *>(&ps[now][q][ty]);
            *reinterpret_cast<float4 *>(x + 4) = *reinterpret_cast<const float4 *>(&ps[now][q][ty + 64]);
            *reinterpret_cast<float4 *>(y) = *reinterpret_cast<const float4 *>(&qs[now][q][tx]);
            *reinterpret_cast<float4 *>(y + 4) = *reinterpret_cast<const float4 *>(&qs[now][q][tx + 64]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        now ^= 1;
    }
    __syncthreads();  // before another tile is loaded
}

__device__ __forceinline__ void small_tile(const float *X, float *G, int n, int d, int i0, int j0)
{
    __shared__ float xi[16][33], xj[16][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int k0 = 0; k0 < d; k0 += 32) {
#pragma unroll
        for (int s = 0; s < 32; s += 16) {
            xi[ty][tx + s] = i0 + ty < n && k0 + tx + s < d ? X[(i0 + ty) * d + k0 + tx + s] : 0.0f;
            xj[ty][tx + s] = j0 + ty < n && k0 + tx + s < d ? X[(j0 + ty) * d + k0 + tx + s] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum = fmaf(xi[ty][k], xj[tx][k], sum);
        __syncthreads();
    }
    if (i0 + ty < n && j0 + tx < n)
        G[(i0 + ty) * n + j0 + tx] = sum;
}

__global__ void __launch_bounds__(256) gram(const float *X, float *G, int n, int d)
{
    if (blockDim.x != 16 || blockDim.y != 16) {
        int i = blockIdx.y * blockDim.y + threadIdx.y;
        int j = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && j < n) {
            float sum = 0;
            for (int k = 0; k < d; k++)
                sum += X[i * d + k] * X[j * d + k];
            G[i * n + j] = sum;
        }
        return;
    }
    const int t = threadIdx.y * 16 + threadIdx.x;
    const int side = n >= 1024 ? 128 : 16;
    const int across = (n + side - 1) / side;
    for (int tile = blockIdx.y * gridDim.x + blockIdx.x; tile < across * across; tile += gridDim.x * gridDim.y) {
        const int i0 = tile / across * side, j0 = tile % across * side;
        if (side == 16) {
            small_tile(X, G, n, d, i0, j0);
            continue;
        }
        float sum[8][8];
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j)
                sum[i][j] = 0.0f;
        large_tile(sum, X, X, n, n, d, i0, j0, t);
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const int row = i0 + t / 16 * 4 + i % 4 + i / 4 * 64, col = j0 + t % 16 * 4 + j % 4 + j / 4 * 64;
                if (row < n && col < n)
                    G[(size_t)row * n + col] = sum[i][j];
            }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 160;
    int d = argc > 2 ? atoi(argv[2]) : 96;
    float *X = (float *)malloc(sizeof(float) * n * d);
    float *G = (float *)malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * d; i++)
        X[i] = (i % 17) * 0.25f - (i % 5);
    float *dX, *dG;
    cudaMalloc((void **)&dX, sizeof(float) * n * d);
    cudaMalloc((void **)&dG, sizeof(float) * n * n);
    cudaMemcpy(dX, X, sizeof(float) * n * d, cudaMemcpyHostToDevice);
    dim3 threads(16, 16);
    dim3 blocks((n + 15) / 16, (n + 15) / 16);
    gram<<<blocks, threads>>>(dX, dG, n, d);
    cudaMemcpy(G, dG, sizeof(float) * n * n, cudaMemcpyDeviceToHost);
    double trace = 0;
    for (int i = 0; i < n; i++) trace += G[i * n + i];
    printf("trace %g\n", trace);
    cudaFree(dX);
    cudaFree(dG);
    free(X);
    free(G);
    return 0;
}
