// kernel=relax line=37 finding=KO125
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define AT(y, x) ((y) * pitch + (x))

__device__ float least(float a, float b, float c) { return fminf(a, fminf(b, c)); }

// The cheapest way from the upper left corner, by steps to the right and down.
__global__ void relax(const float *price, float *way, int rows, int columns, int pitch, int wave)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = wave - x;
    if (x >= columns)
        return;
    if (y < 0 || y >= rows)
        return;
    if (x == 0 && y == 0) {
        way[AT(y, x)] = price[AT(y, x)];
    } else if (y == 0) {
        way[AT(y, x)] = way[AT(y, x - 1)] + price[AT(y, x)];
    } else if (x == 0) {
        way[AT(y, x)] = way[AT(y - 1, x)] + price[AT(y, x)];
    } else {
        float before = least(way[AT(y - 1, x)], way[AT(y, x - 1)], way[AT(y - 1, x - 1)]);
        way[AT(y, x)] = before + price[AT(y, x)];
    }
}

void cheapest(const float *price, float *way, int rows, int columns, int pitch)
{
    for (int wave = 0; wave < rows + columns - 1; wave++) {
        int blocks = (columns + 255) / 256;
        relax<<<blocks, 256>>>(price, way, rows, columns, pitch, wave);
        if (cudaPeekAtLastError() != cudaSuccess)
            exit(1);
    }
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 101, columns = argc > 2 ? atoi(argv[2]) : 135, pitch = columns + 9;
    std::vector<float> price(rows * pitch), way(rows * pitch, 0.0f);
    for (size_t k = 0; k < price.size(); ++k) price[k] = k * 7 % 31;
    float *p, *w;
    cudaMalloc(&p, price.size() * sizeof(float));
    cudaMalloc(&w, way.size() * sizeof(float));
    cudaMemcpy(p, price.data(), price.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(w, way.data(), way.size() * sizeof(float), cudaMemcpyHostToDevice);
    cheapest(p, w, rows, columns, pitch);
    cudaMemcpy(way.data(), w, way.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.1f\n", way[(rows - 1) * pitch + columns - 1]);
    cudaFree(p);
    cudaFree(w);
    return 0;
}
