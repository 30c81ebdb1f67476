// Focal (moving window) mean of a float raster with gaps.
// A cell is missing if it equals the file's nodata value or is NaN (rasters from different tools are mixed).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define gpuErr(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

struct Raster {
    int nx, ny;
    float nodata;
};

__device__ __forceinline__ bool missing(float v, float nodata)
{
    return isnan(v) || v == nodata;
}

// mean of the valid cells in the (2r+1)^2 window (0 <= r <= 8, minValid >= 1); nodata where fewer than minValid are valid
__global__ void focal_mean(const float *in, float *out, Raster ra, int r, int minValid)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ra.nx || y >= ra.ny) return;

    float sum = 0.f;
    int n = 0;
    for (int dy = -r; dy <= r; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= ra.ny) continue;
        for (int dx = -r; dx <= r; dx++) {
            int xx = x + dx;
            if (xx < 0 || xx >= ra.nx) continue;
            float v = in[(size_t)yy * ra.nx + xx];
            if (missing(v, ra.nodata)) continue;
            sum += v;
            n++;
        }
    }
    out[(size_t)y * ra.nx + x] = n >= minValid ? sum / n : ra.nodata;
}

int main()
{
    Raster ra{612, 407, -9999.f};
    const int r = 5, minValid = 12;
    const size_t cells = (size_t)ra.nx * ra.ny;

    std::vector<float> h(cells);
    for (int y = 0; y < ra.ny; y++)
        for (int x = 0; x < ra.nx; x++) {
            float v = 18.f + 6.f * sinf(x * 0.031f) * cosf(y * 0.023f) + ((x * 31 + y * 17) % 101) * 0.01f;
            bool cloud = ((x / 23 + y / 19) % 5 == 0) || ((x * 13 + y * 7) % 29 == 0);
            h[(size_t)y * ra.nx + x] = cloud ? ra.nodata : v;
        }

    float *dIn, *dOut;
    gpuErr(cudaMalloc(&dIn, cells * sizeof(float)));
    gpuErr(cudaMalloc(&dOut, cells * sizeof(float)));
    gpuErr(cudaMemcpy(dIn, h.data(), cells * sizeof(float), cudaMemcpyHostToDevice));

    dim3 threads(32, 8);
    dim3 blocks((ra.nx + threads.x - 1) / threads.x, (ra.ny + threads.y - 1) / threads.y);
    focal_mean<<<blocks, threads>>>(dIn, dOut, ra, r, minValid);
    gpuErr(cudaPeekAtLastError());
    gpuErr(cudaDeviceSynchronize());
    gpuErr(cudaMemcpy(h.data(), dOut, cells * sizeof(float), cudaMemcpyDeviceToHost));

    double s = 0;
    size_t gaps = 0;
    for (size_t i = 0; i < cells; i++)
        if (h[i] == ra.nodata || std::isnan(h[i])) gaps++;
        else s += h[i];
    printf("gaps %zu mean %.5f\n", gaps, s / (cells - gaps));
    for (int i = 0; i < 5; i++) printf("%.4f ", h[(size_t)(40 + 70 * i) * ra.nx + 60 + 110 * i]);
    printf("\n");
    gpuErr(cudaFree(dIn));
    gpuErr(cudaFree(dOut));
    return 0;
}
