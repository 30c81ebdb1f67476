// kernel=dilated line=15 finding=KO108
#include <cuda_runtime.h>

__global__ void dilated(const float *x, const float *w, float *y, int H, int W)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    if (ow >= W || oh >= H) return;
    float acc = 0.f;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int ih = oh + 4 * r - 4;
            int iw = ow + 4 * s - 4;
            if (ih >= 0 && ih < H && iw >= 0 && iw < W)
                acc += x[ih * W + iw] * w[r * 3 + s];
        }
    y[oh * W + ow] = acc;
}

void run(const float *x, const float *w, float *y, int H, int W)
{
    dilated<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(x, w, y, H, W);
}
