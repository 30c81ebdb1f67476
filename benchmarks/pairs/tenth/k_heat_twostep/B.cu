#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

// Heat flow in an insulated plate: explicit Euler, 5 points, zero-flux edges
// (a neighbour beyond the edge counts as the edge cell itself).

#define chk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__device__ __forceinline__ int clampi(int v, int hi) { return v < 0 ? 0 : (v > hi ? hi : v); }

__global__ void euler(const float *u, float *out, int w, int h, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = u[y * w + x];
    float l = u[y * w + clampi(x - 1, w - 1)];
    float r = u[y * w + clampi(x + 1, w - 1)];
    float t = u[clampi(y - 1, h - 1) * w + x];
    float b = u[clampi(y + 1, h - 1) * w + x];
    out[y * w + x] = c + k * (l + r + t + b - 4.0f * c);
}

// Two Euler steps per pass over memory: 32x16 output cells, halo of two.
constexpr int TX = 32, TY = 16;

__global__ void __launch_bounds__(TX * 8) euler2(const float *__restrict__ u, float *__restrict__ out,
                                                 int w, int h, float k)
{
    __shared__ float a[TY + 4][TX + 4];
    __shared__ float b[TY + 2][TX + 2];

    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
    const int tid = threadIdx.y * TX + threadIdx.x;

    for (int i = tid; i < (TY + 4) * (TX + 4); i += TX * 8) {
        int ly = i / (TX + 4), lx = i % (TX + 4);
        a[ly][lx] = u[clampi(y0 + ly - 2, h - 1) * w + clampi(x0 + lx - 2, w - 1)];
    }
    __syncthreads();

    for (int i = tid; i < (TY + 2) * (TX + 2); i += TX * 8) {
        int ly = i / (TX + 2), lx = i % (TX + 2);
        float c = a[ly + 1][lx + 1];
        b[ly][lx] = c + k * (a[ly + 1][lx] + a[ly + 1][lx + 2] +
                             a[ly][lx + 1] + a[ly + 2][lx + 1] - 4.0f * c);
    }
    __syncthreads();

    const int x = x0 + threadIdx.x;
    for (int ly = threadIdx.y; ly < TY; ly += 8) {
        int y = y0 + ly;
        if (x < w && y < h) {
            const int lx = threadIdx.x;
            float c = b[ly + 1][lx + 1];
            out[y * w + x] = c + k * (b[ly + 1][lx] + b[ly + 1][lx + 2] +
                                      b[ly][lx + 1] + b[ly + 2][lx + 1] - 4.0f * c);
        }
    }
}

int main()
{
    const int W = 330, H = 250, STEPS = 13;
    const float K = 0.2f;
    const size_t bytes = size_t(W) * H * sizeof(float);

    std::vector<float> u(W * H, 20.0f);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            float dx = x - 0.45f * W, dy = y - 0.55f * H, d2 = dx * dx + dy * dy;
            if (d2 < 90.0f * 90.0f) u[y * W + x] += 80.0f * expf(-d2 / 900.0f) + ((x ^ y) & 3);
        }

    float *d0, *d1;
    chk(cudaMalloc(&d0, bytes));
    chk(cudaMalloc(&d1, bytes));
    chk(cudaMemcpy(d0, u.data(), bytes, cudaMemcpyHostToDevice));

    dim3 blk(32, 8), grd((W + 31) / 32, (H + 7) / 8);
    dim3 grd2((W + TX - 1) / TX, (H + TY - 1) / TY);
    int s = 0;
    for (; s + 2 <= STEPS; s += 2) {
        euler2<<<grd2, blk>>>(d0, d1, W, H, K);
        std::swap(d0, d1);
    }
    if (s < STEPS) {
        euler<<<grd, blk>>>(d0, d1, W, H, K);
        std::swap(d0, d1);
    }
    chk(cudaGetLastError());
    chk(cudaMemcpy(u.data(), d0, bytes, cudaMemcpyDeviceToHost));

    double total = 0, mx = 0;
    for (float v : u) { total += v; if (v > mx) mx = v; }
    printf("total heat %.4f, hottest %.5f, centre %.6f, corner %.6f\n",
           total, mx, u[(H / 2) * W + W / 2], u[0]);
    cudaFree(d0);
    cudaFree(d1);
    return 0;
}
