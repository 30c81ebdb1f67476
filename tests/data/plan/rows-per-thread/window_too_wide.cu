// kernel=wide line=13 finding=KO108
#include <cuda_runtime.h>

__global__ void wide(const float *x, const float *w, float *y, int H, int W)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    if (ow >= W || oh >= H) return;
    float acc = 0.f;
    for (int r = 0; r < 9; r++)
        for (int s = 0; s < 9; s++)
            if (oh + r < H && ow + s < W)
                acc += x[(oh + r) * W + ow + s] * w[r * 9 + s];
    y[oh * W + ow] = acc;
}

void run(const float *x, const float *w, float *y, int H, int W)
{
    wide<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(x, w, y, H, W);
}
