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

__global__ void dwconv5x5(const float* in, const float* weight, const float* bnScale, const float* bnShift,
                          float* out, int C, int H, int W)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int nc = blockIdx.z;
    int c = nc % C;
    if (x >= W || y >= H) return;

    const float* src = in + (size_t)nc * H * W;
    float acc = 0.f;
    for (int ky = -R; ky <= R; ky++) {
        for (int kx = -R; kx <= R; kx++) {
            int yy = y + ky, xx = x + kx;
            if (yy >= 0 && yy < H && xx >= 0 && xx < W)
                acc += src[yy * W + xx] * weight[c * KS * KS + (ky + R) * KS + kx + R];
        }
    }
    out[((size_t)nc * H + y) * W + x] = hswish(acc * bnScale[c] + bnShift[c]);
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

    dim3 block(32, 8);
    dim3 grid((W + block.x - 1) / block.x, (H + block.y - 1) / block.y, N * C);
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
