// kernel=cumulate line=11 finding=KO120
#include <cstdio>
#include <cstdlib>

__global__ void cumulate(const int *data, int *sums, int height, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height) {
        for (int col = 1; col < width; col++) {
            int here = row * width + col;
            sums[here] = sums[here - 1] + data[here];
        }
    }
}

int main(int argc, char **argv)
{
    int height = 70, width = 50;
    size_t bytes = sizeof(int) * height * width;
    int *host = (int *)malloc(bytes), *data, *sums;
    for (int i = 0; i < height * width; i++) host[i] = i % 17 - 5;
    cudaMalloc(&data, bytes);
    cudaMalloc(&sums, bytes);
    cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(sums, host, bytes, cudaMemcpyHostToDevice);
    cumulate<<<(height + 31) / 32, 32>>>(data, sums, height, width);
    cudaMemcpy(host, sums, bytes, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[width - 1], host[height * width - 1]);
    cudaFree(data);
    cudaFree(sums);
    free(host);
    return 0;
}
