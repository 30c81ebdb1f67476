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
    for (int s = 0; s < STEPS; ++s) {
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
