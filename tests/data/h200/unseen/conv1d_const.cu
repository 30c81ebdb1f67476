#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>
#define MAX_MASK_WIDTH 11
#define TILE_SIZE 128

__constant__ float M[MAX_MASK_WIDTH];

__global__ void conv1d_basic(float *N, float *P, int Mask_Width, int Width) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= Width) return;
  float Pvalue = 0;
  int N_start_point = i - (Mask_Width/2);
  for (int j = 0; j < Mask_Width; j++) {
    if (N_start_point + j >= 0 && N_start_point + j < Width) {
      Pvalue += N[N_start_point + j]*M[j];
    }
  }
  P[i] = Pvalue;
}

__global__ void conv1d_tiled(float *N, float *P, int Mask_Width, int Width) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  __shared__ float N_ds[TILE_SIZE + MAX_MASK_WIDTH - 1];
  int n = Mask_Width/2;

  int halo_index_left = (blockIdx.x - 1)*blockDim.x + threadIdx.x;
  if (threadIdx.x >= blockDim.x - n) {
    N_ds[threadIdx.x - (blockDim.x - n)] = (halo_index_left < 0) ? 0 : N[halo_index_left];
  }
  N_ds[n + threadIdx.x] = (i < Width) ? N[i] : 0;
  int halo_index_right = (blockIdx.x + 1)*blockDim.x + threadIdx.x;
  if (threadIdx.x < n) {
    N_ds[n + blockDim.x + threadIdx.x] = (halo_index_right >= Width) ? 0 : N[halo_index_right];
  }
  __syncthreads();

  float Pvalue = 0;
  for (int j = 0; j < Mask_Width; j++) {
    Pvalue += N_ds[threadIdx.x + j]*M[j];
  }
  if (i < Width) P[i] = Pvalue;
}

int main() {
  const int Width = 20011, mw = 9;
  float mask[MAX_MASK_WIDTH] = {1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0};
  float *h = (float*)malloc(Width*4), *r1 = (float*)malloc(Width*4), *r2 = (float*)malloc(Width*4);
  for (int i = 0; i < Width; i++) h[i] = (float)((i*i) % 23);
  float *dN, *dP, *dQ;
  cudaMalloc(&dN, Width*4); cudaMalloc(&dP, Width*4); cudaMalloc(&dQ, Width*4);
  cudaMemcpy(dN, h, Width*4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(M, mask, sizeof(mask));
  int g = (Width + TILE_SIZE - 1)/TILE_SIZE;
  conv1d_basic<<<g, TILE_SIZE>>>(dN, dP, mw, Width);
  conv1d_tiled<<<g, TILE_SIZE>>>(dN, dQ, mw, Width);
  cudaMemcpy(r1, dP, Width*4, cudaMemcpyDeviceToHost);
  cudaMemcpy(r2, dQ, Width*4, cudaMemcpyDeviceToHost);
  int bad = (cudaGetLastError() != cudaSuccess);
  for (int i = 0; i < Width; i++) {
    float s = 0;
    for (int j = 0; j < mw; j++) { int k = i - mw/2 + j; if (k >= 0 && k < Width) s += h[k]*mask[j]; }
    if (fabsf(s - r1[i]) > 1e-3 || fabsf(s - r2[i]) > 1e-3) bad++;
  }
  printf("conv1d_const %s\n", bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
