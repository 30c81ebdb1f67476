// kernel=filterColumns line=15 finding=KO108
#include <cstdio>

constexpr int LENGTH = 12;
__constant__ float filter[LENGTH];

__global__ void filterColumns(const float *input, float *output, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int line = blockIdx.y * blockDim.y + threadIdx.y;
    __shared__ float input_tile[16 + LENGTH - 1][32];
    for (int row = threadIdx.y; row < 16 + LENGTH - 1; row += 16) {
        const int from = blockIdx.y * blockDim.y + row - LENGTH + 1;
        if (column < width && from < height && from >= 0)
            input_tile[row][threadIdx.x] = input[from * width + column];
    }
    __syncthreads();
    if (column >= width || line >= height) return;
    float value = 0.0f;
    for (int tap = 0; tap < LENGTH; ++tap) {
        const int from = line - tap;
        if (from < 0) continue;
        value += filter[tap] * input_tile[threadIdx.y + LENGTH - 1 - tap][threadIdx.x];
    }
    output[line * width + column] = value;
}

int main()
{
    const int width = 70, height = 21;
    float weights[LENGTH], *input, *output;
    for (int i = 0; i < LENGTH; ++i) weights[i] = 0.5f * (i % 4);
    cudaMemcpyToSymbol(filter, weights, sizeof(weights));
    cudaMallocManaged(&input, width * height * sizeof(float));
    cudaMallocManaged(&output, width * height * sizeof(float));
    for (int i = 0; i < width * height; ++i) input[i] = i % 17;
    filterColumns<<<dim3((width + 31) / 32, (height + 15) / 16), dim3(32, 16)>>>(input, output, width, height);
    cudaDeviceSynchronize();
    double total = 0;
    for (int i = 0; i < width * height; ++i) total += output[i] * (i % 4 + 1);
    printf("%.1f\n", total);
    return 0;
}
