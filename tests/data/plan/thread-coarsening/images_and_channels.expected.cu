// kernel=convolve line=16 finding=KO108
#include <cuda_runtime.h>

__global__ void convolve(const float *images, const float *weights, float *out, int channels, int width, int height, int outputs, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int o_groups = (outputs + 3) / 4;
    int image = blockIdx.z / o_groups;
    const int first_o = blockIdx.z % o_groups * 4;
    int o[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        o[r] = min(first_o + r, outputs - 1);
    if (x > width - k || y > height - k) return;

    float sum[4] = {};
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                #pragma unroll
                for (int r = 0; r < 4; r++)
                    sum[r] += images[((image * channels + c) * height + y + i) * width + x + j] * weights[((o[r] * channels + c) * k + i) * k + j];
            }
    #pragma unroll
    for (int r = 0; r < 4; r++)
        out[((image * outputs + o[r]) * height + y) * width + x] = sum[r];
}

void run(const float *images, const float *weights, float *out, int batch, int channels, int size, int outputs)
{
    dim3 threads(16, 16);
    dim3 blocks((size + 15) / 16, (size + 15) / 16, batch * ((outputs + 3) / 4));
    convolve<<<blocks, threads>>>(images, weights, out, channels, size, size, outputs, 5);
}
