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

// mean of the valid cells in the (2r+1)^2 window; nodata where fewer than minValid are valid.
// Separable: a block stages TX x TY cells plus halo, makes row sums, then column sums.
// Validity is carried as a 0/1 weight, so that the loops have no branches.
#define TX 32
#define TY 16
#define RMAX 8

__global__ void __launch_bounds__(TX * TY)
focal_mean(const float *__restrict__ in, float *__restrict__ out, Raster ra, int r, int minValid)
{
    __shared__ float val[TY + 2 * RMAX][TX + 2 * RMAX];
    __shared__ float wgt[TY + 2 * RMAX][TX + 2 * RMAX];
    __shared__ float rowSum[TY + 2 * RMAX][TX];
    __shared__ float rowCnt[TY + 2 * RMAX][TX];

    const int tid = threadIdx.y * TX + threadIdx.x;
    const int sw = TX + 2 * r, sh = TY + 2 * r;
    const int x0 = blockIdx.x * TX - r, y0 = blockIdx.y * TY - r;
    for (int i = tid; i < sw * sh; i += TX * TY) {
        const int ly = i / sw, lx = i - ly * sw;
        const int xx = x0 + lx, yy = y0 + ly;
        float v = ra.nodata;
        if (xx >= 0 && xx < ra.nx && yy >= 0 && yy < ra.ny) v = in[(size_t)yy * ra.nx + xx];
        val[ly][lx] = v;
        wgt[ly][lx] = missing(v, ra.nodata) ? 0.f : 1.f;
    }
    __syncthreads();

    for (int ly = threadIdx.y; ly < sh; ly += TY) {
        float s = 0.f, c = 0.f;
        for (int k = 0; k <= 2 * r; k++) {
            const float w = wgt[ly][threadIdx.x + k];
            s = fmaf(w, val[ly][threadIdx.x + k], s);
            c += w;
        }
        rowSum[ly][threadIdx.x] = s;
        rowCnt[ly][threadIdx.x] = c;
    }
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x >= ra.nx || y >= ra.ny) return;
    float s = 0.f, c = 0.f;
    for (int k = 0; k <= 2 * r; k++) {
        s += rowSum[threadIdx.y + k][threadIdx.x];
        c += rowCnt[threadIdx.y + k][threadIdx.x];
    }
    out[(size_t)y * ra.nx + x] = c >= (float)minValid ? s / c : ra.nodata;
}

int main()
{
    Raster ra{612, 407, -9999.f};
    const int r = 5, minValid = 12;      // r <= RMAX
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

    dim3 threads(TX, TY);
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
