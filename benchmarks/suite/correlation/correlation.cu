#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "stats.cuh"

#define CHECKED(call) do { cudaError_t r = call; if (r != cudaSuccess) { \
    fprintf(stderr, "correlation: %s\n", cudaGetErrorString(r)); return 1; } } while (0)

/* thread j1 fills row j1 and, by symmetry, column j1 */
__global__ void correlate(const float *data, float *corr, int n, int m)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 >= m)
        return;
    corr[j1 * m + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 < m; j2++) {
        float c = 0;
        for (int i = 0; i < n; i++)
            c += data[i * m + j1] * data[i * m + j2];
        corr[j1 * m + j2] = c;
        corr[j2 * m + j1] = c;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 80;   /* observations */
    int m = argc > 2 ? atoi(argv[2]) : 60;   /* variables */

    float *data = (float *)malloc(sizeof(float) * n * m);
    float *corr = (float *)malloc(sizeof(float) * m * m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i * m + j] = (float)((i * (j + 3)) % 51) / 51 + (float)i / n;

    float *d_data, *d_mean, *d_stddev, *d_corr;
    CHECKED(cudaMalloc((void **)&d_data, sizeof(float) * n * m));
    CHECKED(cudaMalloc((void **)&d_mean, sizeof(float) * m));
    CHECKED(cudaMalloc((void **)&d_stddev, sizeof(float) * m));
    CHECKED(cudaMalloc((void **)&d_corr, sizeof(float) * m * m));
    CHECKED(cudaMemcpy(d_data, data, sizeof(float) * n * m, cudaMemcpyHostToDevice));

    dim3 block2(32, 8), grid2((m + 31) / 32, (n + 7) / 8);
    columnMeans<<<(m + 255) / 256, 256>>>(d_data, d_mean, n, m);
    columnStddevs<<<(m + 255) / 256, 256>>>(d_data, d_mean, d_stddev, n, m);
    standardize<<<grid2, block2>>>(d_data, d_mean, d_stddev, n, m);
    correlate<<<(m + 255) / 256, 256>>>(d_data, d_corr, n, m);
    CHECKED(cudaGetLastError());
    CHECKED(cudaMemcpy(corr, d_corr, sizeof(float) * m * m, cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int k = 0; k < m * m; k++)
        sum += fabs(corr[k]);
    printf("corr[0][1] = %.5f, mean |corr| = %.6f\n", corr[1], sum / m / m);

    cudaFree(d_data);
    cudaFree(d_mean);
    cudaFree(d_stddev);
    cudaFree(d_corr);
    free(data);
    free(corr);
    return 0;
}
