// kernel=blur line=17 finding=KO108
#include <cstdio>
typedef unsigned char uchar;
#define R 2

__device__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

// mean of 5 x 5 pixels, those outside taken from the edge
__global__ void blur(const uchar *src, uchar *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int s = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            s += src[clampi(y + dy, 0, h - 1) * w + clampi(2 * x + dx, 0, w - 1)];
    dst[y * w + x] = (uchar)(s / ((2 * R + 1) * (2 * R + 1)));
}

int main()
{
    const int w = 45, h = 19;
    uchar *src, *dst;
    cudaMallocManaged(&src, w * h);
    cudaMallocManaged(&dst, w * h);
    for (int i = 0; i < w * h; ++i) src[i] = i * 37 % 251;
    blur<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(src, dst, w, h);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < w * h; ++i) sum += dst[i] * (i % 7 + 1);
    printf("%ld\n", sum);
    return 0;
}
