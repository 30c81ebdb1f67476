// kernel=blurChannels line=17 finding=KO108
#include <cuda_runtime.h>

__global__ void blurChannels(const float* picture, const float* kernels, const float* offsets, float* out,
                             int width, int height, int inputs, int outputs)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int first_channel = blockIdx.z * 4;
    int channel[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        channel[r] = min(first_channel + r, outputs - 1);

    if (col < width - 2 && row < height - 2) {
        float total[4];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            total[r] = offsets[channel[r]];
        for (int in = 0; in < inputs; ++in) {
            for (int dy = 0; dy < 3; ++dy) {
                for (int dx = 0; dx < 3; ++dx) {
                    int place = (in * height + row + dy) * width + col + dx;
                    #pragma unroll
                    for (int r = 0; r < 4; r++)
                        total[r] += picture[place] * kernels[((channel[r] * inputs + in) * 3 + dy) * 3 + dx];
                }
            }
        }
        #pragma unroll
        for (int r = 0; r < 4; r++)
            out[(channel[r] * height + row) * width + col] = total[r] > 0.0f ? total[r] : 0.0f;
    }
}

void run(const float* picture, const float* kernels, const float* offsets, float* out, int inputs, int outputs)
{
    dim3 block(32, 8);
    dim3 grid(1024 / 32, 1024 / 8, (outputs + 3) / 4);
    blurChannels<<<grid, block>>>(picture, kernels, offsets, out, 1024, 1024, inputs, outputs);
}
