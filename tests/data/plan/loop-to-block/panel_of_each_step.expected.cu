// kernel=project line=21 finding=KO122
#include <stdio.h>
#include <stdlib.h>

#define DIM 160

/* y = B x for several x, with x in shared memory: one block per group of rows, one vector after the other */
__global__ void project(const double *basis, const double *points, double *coords, int count, int rows)
{
    __shared__ double x[DIM];
    __shared__ int active;
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    for (int p = 0; p < count; p++)
    {
        const double *point = points + p * DIM;
        if (threadIdx.x == 0)
        {
            active = 1;
        }
        /* the vector is shared by all rows */
        for (int d = threadIdx.x; d < DIM; d += blockDim.x)
        {
            x[d] = point[d];
        }
        __syncthreads();
        if (row < rows && active)
        {
            double dot = 0;
            for (int d = 0; d < DIM; d++)
                dot += basis[d * rows + row] * x[d];
            coords[p * rows + row] = dot;
        }
        __syncthreads();
    }
}

int main(void)
{
    const int rows = 500, count = 6;
    double *basis = (double *)malloc(rows * DIM * sizeof(double)), *points = (double *)malloc(count * DIM * sizeof(double));
    double *coords = (double *)malloc(rows * count * sizeof(double));
    for (int i = 0; i < rows * DIM; i++) basis[i] = (i % 23) * 0.125 - 1;
    for (int i = 0; i < count * DIM; i++) points[i] = (i % 19) * 0.25 - 2;
    double *d_basis, *d_points, *d_coords;
    cudaMalloc((void **)&d_basis, rows * DIM * sizeof(double));
    cudaMalloc((void **)&d_points, count * DIM * sizeof(double));
    cudaMalloc((void **)&d_coords, rows * count * sizeof(double));
    cudaMemcpy(d_basis, basis, rows * DIM * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_points, points, count * DIM * sizeof(double), cudaMemcpyHostToDevice);
    project<<<(rows + 63) / 64, 64>>>(d_basis, d_points, d_coords, count, rows);
    cudaMemcpy(coords, d_coords, rows * count * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < rows * count; i++) sum += coords[i] * (i % 3);
    printf("%.6f\n", sum);
    return 0;
}
