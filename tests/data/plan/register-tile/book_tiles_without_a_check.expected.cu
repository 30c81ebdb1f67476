// kernel=MatrixMulKernel line=21 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define TILE_WIDTH 16

__global__ void MatrixMulKernel(const float* M, const float* N, float* P, int Width) {
    const int whole = Width / TILE_WIDTH * TILE_WIDTH;
    __shared__ float m_tile[8][132];
    __shared__ float n_tile[8][128];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float Pvalue[8][8] = {};
    float m_next[4];
    float n_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int Row = blockIdx.y * 128 + e / 8;
            const int k = start + e % 8;
            m_next[l] = Row < whole ? M[Row * Width + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int Col = blockIdx.x * 128 + e % 128;
            const int k = start + e / 128;
            n_next[l] = Col < whole ? N[k * Width + Col] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < whole; start += 8) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            m_tile[e % 8][e / 8] = m_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            n_tile[e / 128][e % 128] = n_next[l];
        }
        __syncthreads();
        if (start + 8 < whole) load_next(start + 8);
        #pragma unroll
        for (int p = 0; p < 8; ++p) {
            float m_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                m_reg[i] = m_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float n_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                n_reg[j] = n_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    Pvalue[i][j] += m_reg[i] * n_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int Row = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int Col = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
            if (Row < whole && Col < whole) {
                P[Row * Width + Col] = Pvalue[i][j];
            }
        }
    }
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
    dim3 grid((w / TILE_WIDTH + 7) / 8, (w / TILE_WIDTH + 7) / 8);
    MatrixMulKernel<<<grid, block>>>(dM, dN, dP, w);
    cudaMemcpy(hP, dP, bytes, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < w * w; i++) s += hP[i];
    printf("sum %f\n", s);
    return 0;
}
