// kernel=conv_nhwc line=17 finding=KO108
#include <cuda_runtime.h>

__global__ void conv_nhwc(const float *x, const float *w, float *y, int H, int W, int C, int K)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (ow >= W || oh >= H) return;
    float acc = 0.f;
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int ih = oh + r - 1, iw = ow + s - 1;
            if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
            for (int c = 0; c < C; c++)
                // the channels of a pixel lie together
                acc += x[(ih * W + iw) * C + c] * w[((r * 3 + s) * C + c) * K + k];
        }
    y[(oh * W + ow) * K + k] = acc;
}

void run(const float *x, const float *w, float *y, int H, int W, int C, int K)
{
    conv_nhwc<<<dim3((W + 15) / 16, (H + 15) / 16, K), dim3(16, 16)>>>(x, w, y, H, W, C, K);
}
