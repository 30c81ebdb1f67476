// kernel=sharpen line=16 finding=KO122
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define RADIUS 5
#define SIDE (2 * RADIUS + 1)

__global__ void sharpen(const float* __restrict__ image, const float* __restrict__ mask, float* __restrict__ result, int width, int height)
{
    __shared__ float weights[SIDE * SIDE];
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    for (int r = threadIdx.x; r < SIDE * SIDE; r += blockDim.x)
    {
        // twice the centre
        weights[r] = (r == SIDE * SIDE / 2 ? 2.0f : 1.0f) * mask[r];
    }
    __syncthreads();
    if (x >= width) return;
    float sum = 0.0f;
    for (int r = 0; r < SIDE; ++r)
        for (int c = 0; c < SIDE; ++c)
            sum += weights[r * SIDE + c] * image[min(max(y + r - RADIUS, 0), height - 1) * width + min(max(x + c - RADIUS, 0), width - 1)];
    result[y * width + x] = sum;
}

int main(int argc, char** argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 190, height = argc > 2 ? atoi(argv[2]) : 70;
    float *image, *mask, *result;
    cudaMallocManaged(&image, width * height * sizeof(float));
    cudaMallocManaged(&mask, SIDE * SIDE * sizeof(float));
    cudaMallocManaged(&result, width * height * sizeof(float));
    for (int i = 0; i < width * height; ++i) image[i] = (i * 13 % 64) / 64.0f;
    for (int i = 0; i < SIDE * SIDE; ++i) mask[i] = 0.01f * (i % 9 - 4);
    sharpen<<<dim3((width + 127) / 128, height), 128>>>(image, mask, result, width, height);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < width * height; ++i) sum += result[i] * (i % 5);
    printf("%.4f\n", sum);
    return 0;
}
