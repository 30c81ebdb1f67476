// kernel=MatrixMulKernel line=21 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define TILE_WIDTH 16

__global__ void MatrixMulKernel(const float* M, const float* N, float* P, int Width) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
        Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
        Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k) {
            Pvalue += Mds[ty][k] * Nds[k][tx];
        }
        __syncthreads();
    }
    P[Row * Width + Col] = Pvalue;
}

int main(int argc, char** argv) {
    int w = argc > 1 ? atoi(argv[1]) : 80;
    size_t bytes = (size_t)w * w * sizeof(float);
    float *hM = (float*)malloc(bytes), *hN = (float*)malloc(bytes), *hP = (float*)malloc(bytes);
    for (int i = 0; i < w * w; i++) { hM[i] = (i % 17) * 0.1f; hN[i] = (i % 13) * 0.2f - 1.0f; }
    float *dM, *dN, *dP;
    cudaMalloc(&dM, bytes); cudaMalloc(&dN, bytes); cudaMalloc(&dP, bytes);
    cudaMemcpy(dM, hM, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dN, hN, bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE_WIDTH, TILE_WIDTH);
    dim3 grid(w / TILE_WIDTH, w / TILE_WIDTH);
    MatrixMulKernel<<<grid, block>>>(dM, dN, dP, w);
    cudaMemcpy(hP, dP, bytes, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < w * w; i++) s += hP[i];
    printf("sum %f\n", s);
    return 0;
}
