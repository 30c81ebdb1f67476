/* D8 flow directions and local slope of an elevation raster.
   Codes as GIS packages write them: 1=E 2=SE 4=S 8=SW 16=W 32=NW 64=N 128=NE, 0 = pit/flat, 255 = nodata.
   If several neighbours are equally steep the first in code order wins. */
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cuda_runtime.h>

#define NODATA (-32768.0f)
#define GPU(call) { cudaError_t err = call; if (err) { printf("cuda error %d (%s) line %d\n", (int)err, cudaGetErrorString(err), __LINE__); exit(2); } }

__constant__ int c_dx[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };
__constant__ int c_dy[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };

__global__ void d8(const float *dem, unsigned char *dir, float *slope, int cols, int rows, float cell)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows)
        return;
    float z = dem[r * cols + c];
    if (z == NODATA) {
        dir[r * cols + c] = 255;
        slope[r * cols + c] = 0.0f;
        return;
    }
    float best = 0.0f;
    unsigned char code = 0;
    for (int k = 0; k < 8; k++) {
        int cc = c + c_dx[k], rr = r + c_dy[k];
        if (cc < 0 || rr < 0 || cc >= cols || rr >= rows)
            continue;
        float zn = dem[rr * cols + cc];
        if (zn == NODATA)
            continue;
        float dist = (k & 1) ? cell * 1.41421356f : cell;
        float s = (z - zn) / dist;
        if (s > best) {
            best = s;
            code = (unsigned char)(1 << k);
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

    dim3 block(16, 16);
    dim3 grid((cols + 15) / 16, (rows + 15) / 16);
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
