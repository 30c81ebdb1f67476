// kernel=gray_levels line=20 finding=KO110
#include <cstdio>
#include <cstdlib>

__global__ void gray_levels(const unsigned char *image, unsigned int *levels, int width, int height)
{
    __shared__ unsigned int local[16];
    if (threadIdx.y == 0 && threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();

    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += blockDim.y * gridDim.y)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += blockDim.x * gridDim.x)
            atomicAdd(&local[image[y * width + x] >> 4], 1);

    __syncthreads();
    if (threadIdx.y == 0)
        for (int l = threadIdx.x; l < 16; l += blockDim.x)
            // one addition for each level
            atomicAdd(&levels[l], local[l]);
}

int main()
{
    const int width = 150, height = 90;
    unsigned char *h = (unsigned char *)malloc(width * height), *image;
    for (int i = 0; i < width * height; i++) h[i] = (i % width) + (i / width);
    unsigned int result[16], *levels;
    cudaMalloc(&image, width * height);
    cudaMalloc(&levels, sizeof(result));
    cudaMemcpy(image, h, width * height, cudaMemcpyHostToDevice);
    cudaMemset(levels, 0, sizeof(result));
    dim3 block(16, 16), grid(4, 4);
    gray_levels<<<grid, block>>>(image, levels, width, height);
    cudaMemcpy(result, levels, sizeof(result), cudaMemcpyDeviceToHost);
    for (int l = 0; l < 16; l++) printf("%u ", result[l]);
    printf("\n");
    return 0;
}
