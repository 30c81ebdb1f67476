// kernel=addNoise line=27 finding=KO126
#include <cmath>
#include <cstdio>
#include <vector>
#define TWO_PI 6.2831853f
typedef unsigned int u32;

__device__ inline u32 hashIt(u32 a) { a ^= a >> 16; a *= 0x7feb352du; a ^= a >> 15; a *= 0x846ca68bu; return a ^ (a >> 16); }

__global__ void addNoise(float *img, const float *src, int w, int h, float sigma, int rounds)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h)
        return;

    float acc = src[py * w + px];
    u32 seed = hashIt(py * w + px + 1);
    for (int r = 0; r < rounds; r++)
    {
        seed = hashIt(seed);
        float u1 = ((seed >> 8) + 1) * (1.0f / 16777217.0f);
        seed = hashIt(seed);
        float u2 = (seed >> 8) * (1.0f / 16777216.0f);

        float mag = sigma * sqrtf(-2.0f * logf(u1));
        float ang = TWO_PI * u2;
        float n0 = mag * cosf(ang);
        float n1 = mag * sinf(ang);
        acc += n0 * 0.5f - n1 * 0.25f;
    }
    img[py * w + px] = acc;
}

int main()
{
    const int w = 123, h = 77, n = w * h;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = (i * 37 % 256) / 255.0f;
    float *dst, *src;
    cudaMalloc(&dst, n * sizeof(float));
    cudaMalloc(&src, n * sizeof(float));
    cudaMemcpy(src, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    addNoise<<<dim3((w + 31) / 32, (h + 5) / 6), dim3(32, 6)>>>(dst, src, w, h, 0.1f, 24);
    cudaMemcpy(b.data(), dst, n * sizeof(float), cudaMemcpyDeviceToHost);
    double before = 0.0, after = 0.0;
    for (int i = 0; i < n; i++) before += a[i], after += b[i];
    if (!(std::fabs(before - after) < 0.02 * n)) { std::printf("FAIL %g %g\n", before, after); return 1; }
    std::puts("PASS");
    return 0;
}
