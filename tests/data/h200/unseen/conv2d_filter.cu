// 2-D convolution, 5x5 Gaussian in constant memory; the block is the size of the *input* tile.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define R 2
#define KW (2 * R + 1)
#define O_TILE 12
#define BLOCK (O_TILE + KW - 1)   /* 16 */

__constant__ float d_kernel[KW][KW];

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

__global__ void conv2d(const float* src, float* dst, int height, int width, int pitch)
{
    __shared__ float s[BLOCK][BLOCK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * O_TILE + ty;
    const int col_o = blockIdx.x * O_TILE + tx;
    const int row_i = clampi(row_o - R, 0, height - 1);
    const int col_i = clampi(col_o - R, 0, width - 1);

    s[ty][tx] = __ldg(&src[row_i * pitch + col_i]);
    __syncthreads();

    if (ty < O_TILE && tx < O_TILE && row_o < height && col_o < width) {
        float acc = 0.f;
        #pragma unroll
        for (int i = 0; i < KW; ++i) {
            #pragma unroll
            for (int j = 0; j < KW; ++j)
                acc = fmaf(d_kernel[i][j], s[ty + i][tx + j], acc);
        }
        dst[row_o * pitch + col_o] = acc;
    }
}

int main()
{
    const int W = 199, H = 101, P = 208;
    float k[KW][KW], sum = 0;
    for (int i = 0; i < KW; ++i) for (int j = 0; j < KW; ++j) { k[i][j] = expf(-0.5f * ((i - R) * (i - R) + (j - R) * (j - R))); sum += k[i][j]; }
    for (auto& row : k) for (float& x : row) x /= sum;

    std::vector<float> img(P * H, -1.f), out(P * H);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) img[y * P + x] = float((x ^ y) & 63);

    float *ds, *dd;
    cudaMalloc(&ds, img.size() * sizeof(float));
    cudaMalloc(&dd, img.size() * sizeof(float));
    cudaMemcpy(ds, img.data(), img.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(d_kernel, k, sizeof(k));
    dim3 blk(BLOCK, BLOCK), grd((W + O_TILE - 1) / O_TILE, (H + O_TILE - 1) / O_TILE);
    conv2d<<<grd, blk>>>(ds, dd, H, W, P);
    cudaMemcpy(out.data(), dd, out.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = cudaGetLastError() == cudaSuccess;
    for (int y = 0; y < H && ok; ++y)
        for (int x = 0; x < W; ++x) {
            float a = 0;
            for (int i = -R; i <= R; ++i)
                for (int j = -R; j <= R; ++j) {
                    int yy = y + i, xx = x + j;
                    yy = yy < 0 ? 0 : yy >= H ? H - 1 : yy;
                    xx = xx < 0 ? 0 : xx >= W ? W - 1 : xx;
                    a += k[i + R][j + R] * img[yy * P + xx];
                }
            if (fabsf(a - out[y * P + x]) > 1e-3f) { ok = false; break; }
        }
    printf("conv2d_filter %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
