// kernel=thicken line=17 finding=KO108
#include <cuda_runtime.h>

// how thick the layers are around each column; columns have as many layers as `count` says
__global__ void thicken(const float *layers, const int *count, float *thickness, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - 2 || y >= h - 2) return;

    float sum = 0.0f;
    int n = count[y * w + x];
    for (int layer = 0; layer < n; layer++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                // nearby columns
                sum += layers[(layer * h + y + i) * w + x + j];
    thickness[y * w + x] = sum / 9;
}

void run(const float *layers, const int *count, float *thickness, int w, int h)
{
    thicken<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(layers, count, thickness, w, h);
}
