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

#define SEGS 8

// g = vertical distance to the nearest coast cell of the column, cols + rows if it has none.
// A column is shared by SEGS threads, each with a run of rows; they tell each other their
// first and last coast row and then sweep their own rows only.
__global__ void columnPass(const unsigned char *__restrict__ coast, int *__restrict__ g, int cols, int rows)
{
    __shared__ int firstRow[SEGS][32], lastRow[SEGS][32];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int seg = threadIdx.y;
    const int len = (rows + SEGS - 1) / SEGS;
    const int y0 = min(seg * len, rows), y1 = min(y0 + len, rows);
    const bool inside = x < cols;

    int f = -1, l = -1;
    if (inside)
        for (int y = y0; y < y1; y++)
            if (coast[y * cols + x]) { if (f < 0) f = y; l = y; }
    firstRow[seg][threadIdx.x] = f;
    lastRow[seg][threadIdx.x] = l;
    __syncthreads();
    if (!inside) return;

    int above = -1, below = -1;
    for (int k = 0; k < seg; k++)
        if (lastRow[k][threadIdx.x] >= 0) above = lastRow[k][threadIdx.x];
    for (int k = SEGS - 1; k > seg; k--)
        if (firstRow[k][threadIdx.x] >= 0) below = firstRow[k][threadIdx.x];

    const int none = cols + rows;
    for (int y = y0; y < y1; y++) {
        if (coast[y * cols + x]) above = y;
        g[y * cols + x] = above >= 0 ? y - above : none;
    }
    for (int y = y1 - 1; y >= y0; y--) {
        if (coast[y * cols + x]) below = y;
        if (below >= 0) g[y * cols + x] = min(g[y * cols + x], below - y);
    }
}

// dist in map units, -1 if the raster has no coast at all.
// Columns are visited outwards from x; at horizontal distance d nothing below d*d can be found any
// more, so the search ends as soon as d*d reaches the best value.
__global__ void rowPass(const int *__restrict__ g, int *__restrict__ sq, float *__restrict__ dist, int cols, int rows, float cell)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= cols) return;
    const int none = cols + rows;
    const int *row = g + y * cols;
    int v = __ldg(row + x);
    int best = v * v;
    const int reach = max(x, cols - 1 - x);
    for (int d = 1; d <= reach && d * d < best; d++) {
        if (x - d >= 0) {
            v = __ldg(row + x - d);
            best = min(best, d * d + v * v);
        }
        if (x + d < cols) {
            v = __ldg(row + x + d);
            best = min(best, d * d + v * v);
        }
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

    columnPass<<<(cols + 31) / 32, dim3(32, SEGS)>>>(dCoast, dG, cols, rows);
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
