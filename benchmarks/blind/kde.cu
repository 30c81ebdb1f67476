/* Kernel density estimate with a Gaussian kernel.
 *
 * density(x) = 1/(n h) * sum_i K((x - x_i)/h),    K(u) = exp(-u^2/2)/sqrt(2 pi)
 *
 * h by Silverman's rule.   kde <number of samples> <number of grid points>
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>

const double PI = 3.14159265358979323846;

__device__ double gaussian_kernel(double u)
{
    return exp(-0.5 * pow(u, 2.0)) / sqrt(2.0 * PI);
}

__global__ void kde(const double *samples, int n, const double *grid, double *density, int m, double h)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < m)
    {
        density[idx] = 0.0;
        for (int i = 0; i < n; i++)
        {
            density[idx] += gaussian_kernel((grid[idx] - samples[i]) / h);
        }
        density[idx] /= n * h;
    }
}

int main(int argc, char *argv[])
{
    int n = strtol(argc > 1 ? argv[1] : "1000", NULL, 10);
    int m = strtol(argc > 2 ? argv[2] : "500", NULL, 10);

    double *samples, *grid, *density;
    cudaMallocManaged(&samples, n * sizeof(double));
    cudaMallocManaged(&grid, m * sizeof(double));
    cudaMallocManaged(&density, m * sizeof(double));
    if (cudaGetLastError() != cudaSuccess)
    {
        fprintf(stderr, "allocation failed\n");
        return 1;
    }

    /* two humps: sums of four uniform numbers around -1.5 and 1 */
    unsigned int state = 2024;
    double mean = 0, sq = 0;
    for (int i = 0; i < n; i++)
    {
        double s = 0;
        for (int k = 0; k < 4; k++)
        {
            state = 1664525u * state + 1013904223u;
            s += state / 4294967296.0;
        }
        samples[i] = (i % 3 == 0) ? -1.5 + 0.5 * (s - 2) : 1.0 + (s - 2);
        mean += samples[i];
        sq += samples[i] * samples[i];
    }
    mean /= n;
    double sigma = sqrt(sq / n - mean * mean);
    double h = 1.06 * sigma * pow((double)n, -0.2);

    double lo = -4.0, hi = 4.0;
    for (int j = 0; j < m; j++)
        grid[j] = lo + (hi - lo) * j / (m - 1);

    int blockSize = 256;
    int gridSize = (m + blockSize - 1) / blockSize;
    kde<<<gridSize, blockSize>>>(samples, n, grid, density, m, h);

    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess)
    {
        fprintf(stderr, "kde kernel: %s\n", cudaGetErrorString(status));
        return 1;
    }

    double area = 0, peak = 0;
    for (int j = 0; j < m; j++)
    {
        area += density[j] * (hi - lo) / (m - 1);
        peak = fmax(peak, density[j]);
    }
    printf("bandwidth %.8f area %.8f peak %.8f\n", h, area, peak);

    cudaFree(samples);
    cudaFree(grid);
    cudaFree(density);
    return 0;
}
