// kernel=relax line=16 finding=KO108
#include <cuda_runtime.h>

// `next` may be any memory: a store to it in the loop over layers could change what a later layer reads
__global__ void relax(const float *field, float *next, int w, int h, int layers)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - 4 || y >= h - 4) return;

    for (int layer = 0; layer < layers; layer++)
    {
        float sum = 0.0f;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                sum += field[(layer * h + y + i) * w + x + j];
        next[(layer * h + y) * w + x] = sum;
    }
}

void run(const float *field, float *next, int w, int h, int layers)
{
    relax<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(field, next, w, h, layers);
}
