// Image denoising energy: data + smoothness + sparsity, three scalars on the device.
// One fused pass, three block reductions, three atomics per block.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct LossBuf { float data, smooth, sparse; };

constexpr int BX = 32, BY = 8, ROWS_PER_THREAD = 4;

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

// block = (32, 8): threadIdx.x is the lane, threadIdx.y the warp
__global__ void __launch_bounds__(BX * BY)
fused_loss(const float* __restrict__ u, const float* __restrict__ f, int w, int h,
           float eps2, float tau, LossBuf* __restrict__ out)
{
    __shared__ float part[3][BY];
    const int x = blockIdx.x * BX + threadIdx.x;
    const int y0 = (blockIdx.y * BY + threadIdx.y) * ROWS_PER_THREAD;
    float sd = 0.0f, ss = 0.0f, sp = 0.0f;

    if (x < w && y0 < h) {
        float c = u[y0 * w + x];
#pragma unroll
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
            const int y = y0 + r;
            if (y >= h) break;
            const float below = (y + 1 < h) ? u[(y + 1) * w + x] : 0.0f;
            const float right = (x + 1 < w) ? u[y * w + x + 1] : 0.0f;
            const float d = c - f[y * w + x];
            sd += 0.5f * d * d;
            const float gx = (x + 1 < w) ? right - c : 0.0f;
            const float gy = (y + 1 < h) ? below - c : 0.0f;
            ss += sqrtf(gx * gx + gy * gy + eps2);
            const float a = fabsf(c);
            sp += a <= tau ? 0.5f * a * a / tau : a - 0.5f * tau;
            c = below;
        }
    }
    sd = warp_sum(sd);
    ss = warp_sum(ss);
    sp = warp_sum(sp);
    if (threadIdx.x == 0) {
        part[0][threadIdx.y] = sd;
        part[1][threadIdx.y] = ss;
        part[2][threadIdx.y] = sp;
    }
    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x < 3) {
        float t = 0.0f;
#pragma unroll
        for (int k = 0; k < BY; ++k) t += part[threadIdx.x][k];
        float* dst = threadIdx.x == 0 ? &out->data : threadIdx.x == 1 ? &out->smooth : &out->sparse;
        atomicAdd(dst, t);
    }
}

int main()
{
    const int W = 330, H = 250, N = W * H;
    std::vector<float> u(N), f(N);
    unsigned s = 12345u;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            s = s * 1664525u + 1013904223u;
            float noise = ((s >> 8) & 0xffff) / 65536.0f - 0.5f;
            float base = sinf(0.03f * x) * cosf(0.05f * y);
            u[y * W + x] = base;
            f[y * W + x] = base + 0.2f * noise;
        }
    float *du, *df;
    LossBuf* dl;
    CK(cudaMalloc(&du, N * sizeof(float)));
    CK(cudaMalloc(&df, N * sizeof(float)));
    CK(cudaMalloc(&dl, sizeof(LossBuf)));
    CK(cudaMemcpy(du, u.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(df, f.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(dl, 0, sizeof(LossBuf)));

    const int rows = BY * ROWS_PER_THREAD;
    dim3 blk(BX, BY), grd((W + BX - 1) / BX, (H + rows - 1) / rows);
    fused_loss<<<grd, blk>>>(du, df, W, H, 1e-6f, 0.1f, dl);
    CK(cudaGetLastError());

    LossBuf l;
    CK(cudaMemcpy(&l, dl, sizeof l, cudaMemcpyDeviceToHost));
    float total = l.data + 0.15f * l.smooth + 0.01f * l.sparse;
    printf("data %.4g smooth %.4g sparse %.4g total %.4g\n", l.data, l.smooth, l.sparse, total);
    CK(cudaFree(du)); CK(cudaFree(df)); CK(cudaFree(dl));
    return 0;
}
