// kernel=first_bright line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void first_bright(const float *img, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.f;
    for (int j = 0; j < 5; j++)
    {
        int yy = y + j - 2;
        if (yy >= h) break;
        if (yy >= 0) sum += img[yy * w + x];
    }
    out[y * w + x] = sum;
}

void run(const float *img, float *out, int w, int h)
{
    first_bright<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(img, out, w, h);
}
