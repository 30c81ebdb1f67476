// Proximity raster: exact Euclidean distance of every cell to the nearest coast cell.
// Pass 1 gives the distance inside the column, pass 2 takes the minimum along the row.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include "cuda_runtime.h"

#define SAFE(op) safe((op), #op)
static void safe(cudaError_t e, const char *op)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", op, cudaGetErrorString(e)); exit(-1); }
}

// g = vertical distance to the nearest coast cell of the column, cols + rows if it has none
__global__ void columnPass(const unsigned char *coast, int *g, int cols, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= cols) return;
    const int none = cols + rows;
    int d = none;
    for (int y = 0; y < rows; y++) {
        if (coast[y * cols + x]) d = 0;
        else if (d < none) d++;
        g[y * cols + x] = d;
    }
    d = none;
    for (int y = rows - 1; y >= 0; y--) {
        if (coast[y * cols + x]) d = 0;
        else if (d < none) d++;
        if (d < g[y * cols + x]) g[y * cols + x] = d;
    }
}

// dist in map units, -1 if the raster has no coast at all
__global__ void rowPass(const int *g, int *sq, float *dist, int cols, int rows, float cell)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= cols) return;
    const int none = cols + rows;
    int best = none * none;
    for (int u = 0; u < cols; u++) {
        int v = g[y * cols + u];
        int d = (x - u) * (x - u) + v * v;
        if (d < best) best = d;
    }
    sq[y * cols + x] = best;
    dist[y * cols + x] = best < none * none ? cell * sqrtf((float)best) : -1.0f;
}

int main()
{
    const int cols = 500, rows = 333;
    const float cell = 25.0f;
    const size_t cells = (size_t)cols * rows;
    std::vector<unsigned char> coast(cells, 0);
    // a wavy shore line and a few skerries
    for (int y = 0; y < rows; y++) {
        int x = (int)(150 + 60 * sin(y * 0.02) + 14 * sin(y * 0.11));
        if (y % 37 < 30) coast[(size_t)y * cols + x] = 1;
    }
    unsigned s = 5;
    for (int k = 0; k < 25; k++) {
        s = s * 1103515245u + 12345u;
        int x = 200 + (s >> 16) % 250;
        s = s * 1103515245u + 12345u;
        int y = (s >> 16) % rows;
        coast[(size_t)y * cols + x] = 1;
    }

    unsigned char *dCoast;
    int *dG, *dSq;
    float *dDist;
    SAFE(cudaMalloc(&dCoast, cells));
    SAFE(cudaMalloc(&dG, cells * sizeof(int)));
    SAFE(cudaMalloc(&dSq, cells * sizeof(int)));
    SAFE(cudaMalloc(&dDist, cells * sizeof(float)));
    SAFE(cudaMemcpy(dCoast, coast.data(), cells, cudaMemcpyHostToDevice));

    columnPass<<<(cols + 63) / 64, 64>>>(dCoast, dG, cols, rows);
    SAFE(cudaGetLastError());
    rowPass<<<dim3((cols + 127) / 128, rows), 128>>>(dG, dSq, dDist, cols, rows, cell);
    SAFE(cudaGetLastError());

    std::vector<int> sq(cells);
    std::vector<float> dist(cells);
    SAFE(cudaMemcpy(sq.data(), dSq, cells * sizeof(int), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(dist.data(), dDist, cells * sizeof(float), cudaMemcpyDeviceToHost));
    long long total = 0;
    int far = 0;
    for (size_t i = 0; i < cells; i++) { total += sq[i]; if (sq[i] > sq[far]) far = (int)i; }
    printf("sum of squares %lld, farthest cell (%d,%d) at %.2f m\n", total, far % cols, far / cols, dist[far]);
    printf("corners %.2f %.2f %.2f %.2f\n", dist[0], dist[cols - 1], dist[cells - cols], dist[cells - 1]);
    cudaFree(dCoast); cudaFree(dG); cudaFree(dSq); cudaFree(dDist);
    return 0;
}
