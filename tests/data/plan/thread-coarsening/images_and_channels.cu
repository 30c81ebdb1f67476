// kernel=convolve line=16 finding=KO108
#include <cuda_runtime.h>

__global__ void convolve(const float *images, const float *weights, float *out, int channels, int width, int height, int outputs, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int image = blockIdx.z / outputs;
    int o = blockIdx.z % outputs;
    if (x > width - k || y > height - k) return;

    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                sum += images[((image * channels + c) * height + y + i) * width + x + j] * weights[((o * channels + c) * k + i) * k + j];
    out[((image * outputs + o) * height + y) * width + x] = sum;
}

void run(const float *images, const float *weights, float *out, int batch, int channels, int size, int outputs)
{
    dim3 threads(16, 16);
    dim3 blocks((size + 15) / 16, (size + 15) / 16, batch * outputs);
    convolve<<<blocks, threads>>>(images, weights, out, channels, size, size, outputs, 5);
}
