// kernel=pool line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void pool(const float *field, const float *scales, float *sums, float *peaks, int cells, int depth, int layers)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    const int first_layer = blockIdx.z * 4;
    int layer[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        layer[r] = min(first_layer + r, layers - 1);
    float sum[4] = {};
    float peak[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        peak[r] = scales[layer[r]];
    if (cell < cells) {
        for (int d = 0; d < depth; d++) {
            float v[4];
            #pragma unroll
            for (int r = 0; r < 4; r++)
                v[r] = field[d * cells + cell] * scales[layer[r] * depth + d];
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                sum[r] += v[r];
                peak[r] = fmaxf(peak[r], v[r]);
            }
        }
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            sums[layer[r] * cells + cell] = sum[r];
            peaks[layer[r] * cells + cell] = peak[r];
        }
    }
}

void run(const float *field, const float *scales, float *sums, float *peaks, int cells, int depth, int layers)
{
    pool<<<dim3((cells + 255) / 256, 1, (layers + 3) / 4), 256>>>(field, scales, sums, peaks, cells, depth, layers);
}
