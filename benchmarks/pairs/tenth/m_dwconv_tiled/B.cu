// Depthwise 5x5 convolution (stride 1, zero padding 2), folded batch norm, hard-swish. NCHW.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define R 2
#define KS (2 * R + 1)

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__device__ __forceinline__ float hswish(float x)
{
    return x * fminf(fmaxf(x + 3.f, 0.f), 6.f) * (1.f / 6.f);
}

#define TX 32
#define TY 8

__device__ __forceinline__ float pixel(const float* __restrict__ src, int y, int x, int H, int W)
{
    return ((unsigned)y < (unsigned)H && (unsigned)x < (unsigned)W) ? __ldg(src + y * W + x) : 0.f;
}

__global__ void __launch_bounds__(TX * TY)
dwconv5x5(const float* __restrict__ in, const float* __restrict__ weight,
          const float* __restrict__ bnScale, const float* __restrict__ bnShift,
          float* __restrict__ out, int C, int H, int W)
{
    __shared__ float tile[TY + 2 * R][TX + 2 * R];
    __shared__ float k[KS * KS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TX + tx;
    const int y = blockIdx.y * TY + ty;
    const int nc = blockIdx.z, c = nc % C;
    if (x >= W || y >= H) return;

    const float* src = in + (size_t)nc * H * W;
    // body
    tile[ty + R][tx + R] = src[y * W + x];
    // halo: left / right columns, upper / lower rows, corners
    const bool l = tx < R, r = tx >= TX - R, u = ty < R, d = ty >= TY - R;
    if (l) tile[ty + R][tx] = pixel(src, y, x - R, H, W);
    if (r) tile[ty + R][tx + 2 * R] = pixel(src, y, x + R, H, W);
    if (u) tile[ty][tx + R] = pixel(src, y - R, x, H, W);
    if (d) tile[ty + 2 * R][tx + R] = pixel(src, y + R, x, H, W);
    if (l && u) tile[ty][tx] = pixel(src, y - R, x - R, H, W);
    if (r && u) tile[ty][tx + 2 * R] = pixel(src, y - R, x + R, H, W);
    if (l && d) tile[ty + 2 * R][tx] = pixel(src, y + R, x - R, H, W);
    if (r && d) tile[ty + 2 * R][tx + 2 * R] = pixel(src, y + R, x + R, H, W);
    if (ty == 0 && tx < KS)
        for (int i = tx; i < KS * KS; i += KS) k[i] = __ldg(weight + c * KS * KS + i);
    __syncthreads();

    float acc = 0.f;
#pragma unroll
    for (int ky = 0; ky < KS; ky++)
#pragma unroll
        for (int kx = 0; kx < KS; kx++)
            acc = fmaf(tile[ty + ky][tx + kx], k[ky * KS + kx], acc);
    out[((size_t)nc * H + y) * W + x] = hswish(acc * __ldg(bnScale + c) + __ldg(bnShift + c));
}

int main()
{
    const int N = 2, C = 24, H = 112, W = 112;
    const size_t cnt = (size_t)N * C * H * W;
    std::vector<float> in(cnt), w(C * KS * KS), sc(C), sh(C), out(cnt);
    unsigned seed = 7;
    for (auto& v : in) { seed = seed * 69069u + 1u; v = (float)(seed >> 16) / 65536.f * 2.f - 0.7f; }
    for (auto& v : w) { seed = seed * 69069u + 1u; v = ((float)(seed >> 16) / 65536.f - 0.5f) * 0.4f; }
    for (int i = 0; i < C; i++) { sc[i] = 0.8f + 0.05f * i; sh[i] = 0.3f - 0.02f * i; }

    float *dIn, *dW, *dSc, *dSh, *dOut;
    gpuErrchk(cudaMalloc(&dIn, cnt * sizeof(float)));
    gpuErrchk(cudaMalloc(&dOut, cnt * sizeof(float)));
    gpuErrchk(cudaMalloc(&dW, w.size() * sizeof(float)));
    gpuErrchk(cudaMalloc(&dSc, C * sizeof(float)));
    gpuErrchk(cudaMalloc(&dSh, C * sizeof(float)));
    gpuErrchk(cudaMemcpy(dIn, in.data(), cnt * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dW, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dSc, sc.data(), C * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dSh, sh.data(), C * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(TX, TY);
    dim3 grid((W + TX - 1) / TX, (H + TY - 1) / TY, N * C);
    dwconv5x5<<<grid, block>>>(dIn, dW, dSc, dSh, dOut, C, H, W);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(out.data(), dOut, cnt * sizeof(float), cudaMemcpyDeviceToHost));

    for (int n = 0; n < N; n++) {
        double s = 0, edge = 0;
        for (int c = 0; c < C; c++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    float v = out[(((size_t)n * C + c) * H + y) * W + x];
                    s += v;
                    if (x == 0 || y == 0 || x == W - 1 || y == H - 1) edge += v;
                }
        printf("image %d: sum %.4f border %.4f\n", n, s, edge);
    }
    cudaFree(dIn); cudaFree(dOut); cudaFree(dW); cudaFree(dSc); cudaFree(dSh);
    return 0;
}
