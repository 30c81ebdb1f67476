// kernel=momentum line=17 finding=KO110
#include <cstdio>
#include <cuda_runtime.h>

#define BOXES 128

__global__ void momentum(const float2 *body, double *box, int n, float width)
{
    __shared__ double sums[BOXES];
    for (int c = threadIdx.x; c < BOXES; c += blockDim.x) sums[c] = 0.0;
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        int c = (int)(body[p].x / width);
        if (c >= 0 && c < BOXES) atomicAdd(&sums[c], (double)body[p].y);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < BOXES; c += blockDim.x) atomicAdd(&box[c], sums[c]);
}

int main()
{
    const int n = 7500;
    float2 *body;
    double *box;
    cudaMallocManaged(&body, n * sizeof(float2));
    cudaMallocManaged(&box, BOXES * sizeof(double));
    for (int i = 0; i < n; i++) body[i] = make_float2((i * 61 % 5200) * 0.25f, i % 2 ? -1.0f : 1.5f);
    for (int c = 0; c < BOXES; c++) box[c] = 0.0;

    dim3 dimBlock(256);
    dim3 dimGrid((n + dimBlock.x - 1) / dimBlock.x);
    momentum<<<dimGrid, dimBlock>>>(body, box, n, 10.0f);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        return 1;
    }
    for (int c = 0; c < BOXES; c += 16) printf("%.2f ", box[c]);
    printf("\n");
    return 0;
}
