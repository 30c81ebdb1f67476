// kernel=addNorm line=30 finding=KO118
#include <cstdio>
#include <cstdlib>
#include <vector>
#define WIDTH 768
#define PER (WIDTH / 32)

__device__ __forceinline__ float allSum(float x)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffff, x, o);
    return x;
}

// y = norm(x + residual) * gain, a warp keeps a token in its registers
__global__ void addNorm(const float* __restrict__ x, const float* __restrict__ res, const float* __restrict__ gain,
                        float* __restrict__ y, float* __restrict__ sumOut, int tokens)
{
    int lane = threadIdx.x & 31;
    int token = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (token >= tokens) return;
    const float* xr = x + (size_t)token * WIDTH;
    const float* rr = res + (size_t)token * WIDTH;
    float* sr = sumOut + (size_t)token * WIDTH;
    float v[PER];
    float ss = 0.0f;
#pragma unroll
    for (int i = 0; i < PER; i++) {
        v[i] = xr[i * 32 + lane] + rr[i * 32 + lane];
        sr[i * 32 + lane] = v[i];
        ss += v[i] * v[i];
    }
    ss = allSum(ss);
    float k = rsqrtf(ss / WIDTH + 1e-6f);
#pragma unroll
    for (int i = 0; i < PER; i++) {
        int c = i * 32 + lane;
        y[(size_t)token * WIDTH + c] = v[i] * k * gain[c];
    }
}

int main(int argc, char** argv)
{
    int T = argc > 1 ? atoi(argv[1]) : 67;
    size_t n = (size_t)T * WIDTH;
    std::vector<float> a(n), b(n), g(WIDTH);
    for (size_t i = 0; i < n; i++) { a[i] = ((i * 37) % 101) * 0.02f - 1; b[i] = ((i * 53) % 89) * 0.02f - 1; }
    for (int i = 0; i < WIDTH; i++) g[i] = 1 + 0.01f * (i % 13);
    float *da, *db, *dg, *dy, *ds;
    cudaMalloc(&da, n * 4); cudaMalloc(&db, n * 4); cudaMalloc(&dg, WIDTH * 4); cudaMalloc(&dy, n * 4); cudaMalloc(&ds, n * 4);
    cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), WIDTH * 4, cudaMemcpyHostToDevice);
    addNorm<<<(T + 3) / 4, 128>>>(da, db, dg, dy, ds, T);
    cudaMemcpy(a.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), ds, n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (size_t i = 0; i < n; i++) s += a[i] * (i % 3) + b[i] * (i % 5);
    printf("%.4f\n", s);
    cudaFree(da); cudaFree(db); cudaFree(dg); cudaFree(dy); cudaFree(ds);
}
