// Tiled matrix product: naive, tiled, register-blocked.
#include <stdio.h>
#define TILE_WIDTH 16
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
__global__ void naive(const float *A, const float *B, float *C, int N) { int row = blockIdx.y*blockDim.y+threadIdx.y; int col = blockIdx.x*blockDim.x+threadIdx.x; if(row<N && col<N){ float sum=0.f; for(int k=0;k<N;++k) sum+=A[row*N+k]*B[k*N+col]; C[row*N+col]=sum; } }
__global__ void tiled(float* M, float* N, float* P, int Width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH]; __shared__ float Nds[TILE_WIDTH][TILE_WIDTH]; int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y, Row = by * TILE_WIDTH + ty, Col = bx * TILE_WIDTH + tx; float Pvalue = 0;
  for (int ph = 0; ph < ceil(Width/(float)TILE_WIDTH); ++ph) { if ((Row < Width) && (ph*TILE_WIDTH+tx) < Width) Mds[ty][tx] = M[Row*Width + ph*TILE_WIDTH + tx]; else Mds[ty][tx] = 0.0f; if ((ph*TILE_WIDTH+ty)<Width && Col<Width) Nds[ty][tx] = N[(ph*TILE_WIDTH + ty)*Width + Col]; else Nds[ty][tx] = 0.0f; __syncthreads(); for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx]; __syncthreads(); }
  if ((Row<Width) && (Col<Width)) P[Row*Width + Col] = Pvalue;
}
template <const int BM, const int BN, const int BK, const int TM> __global__ void blocked(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y, cCol = blockIdx.x; const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN; __shared__ float As[BM * BK]; __shared__ float Bs[BK * BN]; A += cRow * BM * K; B += cCol * BN; C += cRow * BM * N + cCol * BN; const uint innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK, innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN; float threadResults[TM] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) { As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA]; Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB]; __syncthreads(); A += BK; B += BK * N; for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) { float tmpB = Bs[dotIdx * BN + threadCol];
    #pragma unroll
    for (uint resIdx = 0; resIdx < TM; ++resIdx) threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB; } __syncthreads(); }
  for (uint resIdx = 0; resIdx < TM; ++resIdx) C[OFFSET(threadRow * TM + resIdx, threadCol, N)] = alpha * threadResults[resIdx] + beta * C[OFFSET(threadRow * TM + resIdx, threadCol, N)];
}
int main() {
  const int n = 128; static float a[n * n], b[n * n], c[3][n * n]; for (int i = 0; i < n * n; i++) { a[i] = i % 5; b[i] = i % 7 - 3; } float *da, *db, *dc; cudaMalloc(&da, sizeof(a)); cudaMalloc(&db, sizeof(b)); cudaMalloc(&dc, sizeof(a)); cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice); cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice);
  dim3 dimGrid(n / 16, n / 16), dimBlock(16, 16); naive<<<dimGrid, dimBlock>>>(da, db, dc, n); cudaMemcpy(c[0], dc, sizeof(a), cudaMemcpyDeviceToHost); tiled<<<dimGrid, dimBlock>>>(da, db, dc, n); cudaMemcpy(c[1], dc, sizeof(a), cudaMemcpyDeviceToHost); blocked<64, 64, 8, 8><<<dim3(n / 64, n / 64), (64 * 64) / 8>>>(n, n, n, 1.0f, da, db, 0.0f, dc); cudaMemcpy(c[2], dc, sizeof(a), cudaMemcpyDeviceToHost);
  int bad = 0; for (int i = 0; i < n * n; i++) { float want = 0; for (int k = 0; k < n; k++) want += a[i / n * n + k] * b[k * n + i % n]; for (auto& r : c) bad += r[i] != want; } printf("matmul_tiled %s\n", bad ? "FAIL" : "PASS"); return bad != 0;
}
