// kernel=pool line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void pool(const float *field, const float *scales, float *sums, float *peaks, int cells, int depth, int layers)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    int layer = blockIdx.z;
    float sum = 0.0f;
    float peak;
    peak = scales[layer];
    if (cell < cells) {
        for (int d = 0; d < depth; d++) {
            float v = field[d * cells + cell] * scales[layer * depth + d];
            sum += v;
            peak = fmaxf(peak, v);
        }
        sums[layer * cells + cell] = sum;
        peaks[layer * cells + cell] = peak;
    }
}

void run(const float *field, const float *scales, float *sums, float *peaks, int cells, int depth, int layers)
{
    pool<<<dim3((cells + 255) / 256, 1, layers), 256>>>(field, scales, sums, peaks, cells, depth, layers);
}
