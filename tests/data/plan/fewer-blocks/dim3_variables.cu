// kernel=charge_per_cell line=17 finding=KO110
#include <cstdio>
#include <cuda_runtime.h>

#define CELLS 128

__global__ void charge_per_cell(const float2 *particle, double *cell, int n, float cell_size)
{
    __shared__ double charge[CELLS];
    for (int c = threadIdx.x; c < CELLS; c += blockDim.x) charge[c] = 0.0;
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        int c = (int)(particle[p].x / cell_size);
        if (c >= 0 && c < CELLS) atomicAdd(&charge[c], (double)particle[p].y);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < CELLS; c += blockDim.x) atomicAdd(&cell[c], charge[c]);
}

int main()
{
    const int n = 9000;
    float2 *particle;
    double *cell;
    cudaMallocManaged(&particle, n * sizeof(float2));
    cudaMallocManaged(&cell, CELLS * sizeof(double));
    for (int i = 0; i < n; i++) particle[i] = make_float2((i * 61 % 5200) * 0.25f, i % 2 ? -1.0f : 1.5f);
    for (int c = 0; c < CELLS; c++) cell[c] = 0.0;

    dim3 dimBlock(256);
    dim3 dimGrid((n + 255) / 256);
    charge_per_cell<<<dimGrid, dimBlock>>>(particle, cell, n, 10.0f);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        return 1;
    }
    for (int c = 0; c < CELLS; c += 16) printf("%.2f ", cell[c]);
    printf("\n");
    return 0;
}
