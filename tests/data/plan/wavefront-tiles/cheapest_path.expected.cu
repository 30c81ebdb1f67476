// kernel=relax line=37 finding=KO125
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define AT(y, x) ((y) * pitch + (x))

__device__ float least(float a, float b, float c) { return fminf(a, fminf(b, c)); }

constexpr int TILE = 32;

// The cheapest way from the upper left corner, by steps to the right and down.
// Each block fills a tile of the table, and a launch the diagonal `wave` of tiles.
__global__ void relax(const float *price, float *way, int rows, int columns, int pitch, int wave, int first)
{
    __shared__ float tile[TILE + 1][TILE + 2];
    int t = threadIdx.x;
    int y0 = (first + blockIdx.x) * TILE;
    int x0 = (wave - first - blockIdx.x) * TILE;
    int y = y0 + t;

    // what the tiles above and to the left have stored next to this one
    if (y < rows && x0 > 0)
        tile[t + 1][0] = way[AT(y, x0 - 1)];
    if (x0 + t < columns && y0 > 0)
        tile[0][t + 1] = way[AT(y0 - 1, x0 + t)];
    if (t == 0 && y0 > 0 && x0 > 0)
        tile[0][0] = way[AT(y0 - 1, x0 - 1)];
    __syncthreads();

    for (int step = 0; step < 2 * TILE - 1; step++) {
        int c = step - t;
        int x = x0 + c;
        if (c >= 0 && c < TILE && y < rows && x < columns) {
            if (x == 0 && y == 0) {
                tile[t + 1][c + 1] = price[AT(y, x)];
            } else if (y == 0) {
                tile[t + 1][c + 1] = tile[t + 1][c] + price[AT(y, x)];
            } else if (x == 0) {
                tile[t + 1][c + 1] = tile[t][c + 1] + price[AT(y, x)];
            } else {
                float before = least(tile[t][c + 1], tile[t + 1][c], tile[t][c]);
                tile[t + 1][c + 1] = before + price[AT(y, x)];
            }
        }
        __syncthreads();
    }

    if (x0 + t < columns)
        for (int r = 0; r < TILE && y0 + r < rows; r++)
            way[AT(y0 + r, x0 + t)] = tile[r + 1][t + 1];
}

void cheapest(const float *price, float *way, int rows, int columns, int pitch)
{
    int tile_rows = (rows + TILE - 1) / TILE;
    int tile_columns = (columns + TILE - 1) / TILE;
    for (int wave = 0; wave < tile_rows + tile_columns - 1; wave++) {
        int first = wave < tile_columns ? 0 : wave - tile_columns + 1;
        int last = wave < tile_rows ? wave : tile_rows - 1;
        if (last < first) continue;  // no rows or no columns
        relax<<<last - first + 1, TILE>>>(price, way, rows, columns, pitch, wave, first);
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
