// Dense layer: C = A * B for row-major float matrices, one thread per output element.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_pipeline.h>

constexpr int TILE = 128;   // rows and columns of C per block
constexpr int DEPTH = 8;    // of k per stage
constexpr int STAGES = 4;
constexpr int TILE_THREADS = 256;

// Starts the copy of A[row0.., k0..] and B[k0.., col0..] into one stage; zeros stand for what is outside.
__device__ inline void copy_tiles(float (*a_tile)[TILE + 4], float (*b_tile)[TILE], const float *A, const float *B, int row0, int col0, int k0, int m, int n, int k)
{
    const int a_k = threadIdx.x % DEPTH, a_row = threadIdx.x / DEPTH;
#pragma unroll
    for (int r = 0; r < TILE; r += TILE_THREADS / DEPTH) {
        float *to = &a_tile[a_k][r + a_row];
        if (row0 + r + a_row < m && k0 + a_k < k)
            __pipeline_memcpy_async(to, A + (size_t)(row0 + r + a_row) * k + k0 + a_k, sizeof(float));
        else
            *to = 0.0f;
    }
    const int b_col = threadIdx.x % TILE, b_k = threadIdx.x / TILE;
#pragma unroll
    for (int r = 0; r < DEPTH; r += TILE_THREADS / TILE) {
        float *to = &b_tile[r + b_k][b_col];
        if (col0 + b_col < n && k0 + r + b_k < k)
            __pipeline_memcpy_async(to, B + (size_t)(k0 + r + b_k) * n + col0 + b_col, sizeof(float));
        else
            *to = 0.0f;
    }
}

__global__ void __launch_bounds__(TILE_THREADS, 2)
matmul(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m, int n, int k)
{
    __shared__ __align__(16) float As[STAGES][DEPTH][TILE + 4];
    __shared__ __align__(16) float Bs[STAGES][DEPTH][TILE];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tile_row = (warp / 4) * 64 + (lane / 4) * 4;   // and 32 further down
    const int tile_col = (warp % 4) * 32 + (lane % 4) * 4;   // and 16 further right
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    const int tiles = (k + DEPTH - 1) / DEPTH;

    for (int t = 0; t < STAGES - 1; ++t) {
        if (t < tiles)
            copy_tiles(As[t], Bs[t], A, B, row0, col0, t * DEPTH, m, n, k);
        __pipeline_commit();
    }
    float sum[8][8] = {};
    for (int t = 0; t < tiles; ++t) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();   // stage t has come, and stage t - 1 is read
        const int next = t + STAGES - 1;
        if (next < tiles)
            copy_tiles(As[next % STAGES], Bs[next % STAGES], A, B, row0, col0, next * DEPTH, m, n, k);
        __pipeline_commit();
        const float (*a_stage)[TILE + 4] = As[t % STAGES];
        const float (*b_stage)[TILE] = Bs[t % STAGES];
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            __align__(16) float a[8], b[8];
            *reinterpret_cast<float4 *>(a) = *reinterpret_cast<const float4 *>(&a_stage[i][tile_row]);
            *reinterpret_cast<float4 *>(a + 4) = *reinterpret_cast<const float4 *>(&a_stage[i][tile_row + 32]);
            *reinterpret_cast<float4 *>(b) = *reinterpret_cast<const float4 *>(&b_stage[i][tile_col]);
            *reinterpret_cast<float4 *>(b + 4) = *reinterpret_cast<const float4 *>(&b_stage[i][tile_col + 16]);
#pragma unroll
            for (int y = 0; y < 8; ++y)
#pragma unroll
                for (int x = 0; x < 8; ++x)
                    sum[y][x] += a[y] * b[x];
        }
    }
#pragma unroll
    for (int y = 0; y < 8; ++y) {
        const int row = row0 + tile_row + (y / 4) * 32 + y % 4;
#pragma unroll
        for (int x = 0; x < 8; ++x) {
            const int col = col0 + tile_col + (x / 4) * 16 + x % 4;
            if (row < m && col < n)
                C[(size_t)row * n + col] = sum[y][x];
        }
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
    matmul<<<dim3((n + 127) / 128, (m + 127) / 128), dim3(256)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (float x : c) total += x;
    printf("checksum %.4f\n", total);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
