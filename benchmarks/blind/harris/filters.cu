#include "filters.h"

static dim3 block(16, 16);

static __device__ int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

static __device__ float at(const float *img, int x, int y, int w, int h)
{
    return img[clampi(y, 0, h - 1) * w + clampi(x, 0, w - 1)];
}

__global__ void sobelX(const float *img, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float right = at(img, x + 1, y - 1, w, h) + 2 * at(img, x + 1, y, w, h) + at(img, x + 1, y + 1, w, h);
    float left = at(img, x - 1, y - 1, w, h) + 2 * at(img, x - 1, y, w, h) + at(img, x - 1, y + 1, w, h);
    out[y * w + x] = (right - left) / 8;
}

__global__ void sobelY(const float *img, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float below = at(img, x - 1, y + 1, w, h) + 2 * at(img, x, y + 1, w, h) + at(img, x + 1, y + 1, w, h);
    float above = at(img, x - 1, y - 1, w, h) + 2 * at(img, x, y - 1, w, h) + at(img, x + 1, y - 1, w, h);
    out[y * w + x] = (below - above) / 8;
}

__global__ void multiply(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

// mean of the 5 x 5 neighbourhood
__global__ void box5(const float *img, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += at(img, x + dx, y + dy, w, h);
    out[y * w + x] = sum / 25;
}

__global__ void cornerness(const float *sxx, const float *syy, const float *sxy, float *out, int n, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float det = sxx[i] * syy[i] - sxy[i] * sxy[i];
    float trace = sxx[i] + syy[i];
    out[i] = det - k * trace * trace;
}

void harris(const Buffers &b, int w, int h, float k)
{
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    int n = w * h;
    int lines = (n + 255) / 256;

    sobelX<<<grid, block>>>(b.image, b.ix, w, h);
    sobelY<<<grid, block>>>(b.image, b.iy, w, h);
    multiply<<<lines, 256>>>(b.ix, b.ix, b.ixx, n);
    multiply<<<lines, 256>>>(b.iy, b.iy, b.iyy, n);
    multiply<<<lines, 256>>>(b.ix, b.iy, b.ixy, n);
    box5<<<grid, block>>>(b.ixx, b.sxx, w, h);
    box5<<<grid, block>>>(b.iyy, b.syy, w, h);
    box5<<<grid, block>>>(b.ixy, b.sxy, w, h);
    cornerness<<<lines, 256>>>(b.sxx, b.syy, b.sxy, b.response, n, k);
}
