// Image denoising energy: data + smoothness + sparsity, three scalars on the device.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct LossBuf { float data, smooth, sparse; };

__global__ void data_term(const float* u, const float* f, int n, LossBuf* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = u[i] - f[i];
    atomicAdd(&out->data, 0.5f * d * d);
}

__global__ void smooth_term(const float* u, int w, int h, float eps2, LossBuf* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = u[y * w + x];
    float gx = (x + 1 < w) ? u[y * w + x + 1] - c : 0.0f;
    float gy = (y + 1 < h) ? u[(y + 1) * w + x] - c : 0.0f;
    atomicAdd(&out->smooth, sqrtf(gx * gx + gy * gy + eps2));
}

__global__ void sparse_term(const float* u, int n, float tau, LossBuf* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = fabsf(u[i]);
    float huber = a <= tau ? 0.5f * a * a / tau : a - 0.5f * tau;
    atomicAdd(&out->sparse, huber);
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

    data_term<<<(N + 255) / 256, 256>>>(du, df, N, dl);
    dim3 b2(16, 16), g2((W + 15) / 16, (H + 15) / 16);
    smooth_term<<<g2, b2>>>(du, W, H, 1e-6f, dl);
    sparse_term<<<(N + 255) / 256, 256>>>(du, N, 0.1f, dl);
    CK(cudaGetLastError());

    LossBuf l;
    CK(cudaMemcpy(&l, dl, sizeof l, cudaMemcpyDeviceToHost));
    float total = l.data + 0.15f * l.smooth + 0.01f * l.sparse;
    printf("data %.4g smooth %.4g sparse %.4g total %.4g\n", l.data, l.smooth, l.sparse, total);
    CK(cudaFree(du)); CK(cudaFree(df)); CK(cudaFree(dl));
    return 0;
}
