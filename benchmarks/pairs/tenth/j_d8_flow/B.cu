/* D8 flow directions and local slope of an elevation raster.
   Codes as GIS packages write them: 1=E 2=SE 4=S 8=SW 16=W 32=NW 64=N 128=NE, 0 = pit/flat, 255 = nodata.
   If several neighbours are equally steep the first in code order wins. */
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cuda_runtime.h>

#define NODATA (-32768.0f)
#define GPU(call) { cudaError_t err = call; if (err) { printf("cuda error %d (%s) line %d\n", (int)err, cudaGetErrorString(err), __LINE__); exit(2); } }

#define BX 32
#define BY 8

// GIS code of the neighbour at (dx, dy), indexed [dy + 1][dx + 1]
__device__ __forceinline__ unsigned char codeOf(int dx, int dy)
{
    const unsigned char t[3][3] = { { 32, 64, 128 }, { 16, 0, 1 }, { 8, 4, 2 } };
    return t[dy + 1][dx + 1];
}

__global__ void __launch_bounds__(BX * BY)
d8(const float *__restrict__ dem, unsigned char *__restrict__ dir, float *__restrict__ slope, int cols, int rows, float cell)
{
    // cells outside of the raster are stored as NODATA: one test instead of five
    __shared__ float z[BY + 2][BX + 2];
    const int c0 = blockIdx.x * BX - 1, r0 = blockIdx.y * BY - 1;
    for (int i = threadIdx.y * BX + threadIdx.x; i < (BX + 2) * (BY + 2); i += BX * BY) {
        int lr = i / (BX + 2), lc = i - lr * (BX + 2);
        int r = r0 + lr, c = c0 + lc;
        z[lr][lc] = (r >= 0 && c >= 0 && r < rows && c < cols) ? dem[r * cols + c] : NODATA;
    }
    __syncthreads();

    const int c = blockIdx.x * BX + threadIdx.x, r = blockIdx.y * BY + threadIdx.y;
    if (c >= cols || r >= rows)
        return;
    const int lc = threadIdx.x + 1, lr = threadIdx.y + 1;
    const float me = z[lr][lc];
    const float diag = cell * 1.41421356f;
    float best = 0.0f;
    unsigned char code = 0;
    if (me == NODATA) {
        code = 255;
    } else {
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                if (dx == 0 && dy == 0) continue;
                float zn = z[lr + dy][lc + dx];
                float s = (me - zn) / ((dx && dy) ? diag : cell);
                if (zn != NODATA && s > best) {
                    best = s;
                    code = codeOf(dx, dy);
                }
            }
    }
    dir[r * cols + c] = code;
    slope[r * cols + c] = best;
}

static float noise(unsigned x, unsigned y)
{
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    h ^= h >> 16;
    return (h & 0xffff) / 65536.0f;
}

int main(void)
{
    const int cols = 700, rows = 500;
    const float cell = 30.0f;
    std::vector<float> dem((size_t)cols * rows);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            float z = 300.0f + 0.37f * r - 0.21f * c + 90.0f * noise(c / 16, r / 16) + 7.0f * noise(c, r);
            if ((c - 350) * (c - 350) + (r - 60) * (r - 60) < 900) z = NODATA;
            dem[(size_t)r * cols + c] = z;
        }

    float *d_dem, *d_slope;
    unsigned char *d_dir;
    GPU(cudaMalloc(&d_dem, dem.size() * sizeof(float)));
    GPU(cudaMalloc(&d_slope, dem.size() * sizeof(float)));
    GPU(cudaMalloc(&d_dir, dem.size()));
    GPU(cudaMemcpy(d_dem, dem.data(), dem.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(BX, BY);
    dim3 grid((cols + BX - 1) / BX, (rows + BY - 1) / BY);
    d8<<<grid, block>>>(d_dem, d_dir, d_slope, cols, rows, cell);
    GPU(cudaGetLastError());
    GPU(cudaDeviceSynchronize());

    std::vector<unsigned char> dir(dem.size());
    std::vector<float> slope(dem.size());
    GPU(cudaMemcpy(dir.data(), d_dir, dir.size(), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(slope.data(), d_slope, slope.size() * sizeof(float), cudaMemcpyDeviceToHost));
    long count[256] = { 0 };
    double sum = 0;
    for (size_t i = 0; i < dir.size(); i++) { count[dir[i]]++; sum += slope[i]; }
    for (int k = 0; k < 256; k++)
        if (count[k]) printf("%3d: %ld\n", k, count[k]);
    printf("mean slope %.6f\n", sum / dir.size());
    cudaFree(d_dem); cudaFree(d_slope); cudaFree(d_dir);
    return 0;
}
