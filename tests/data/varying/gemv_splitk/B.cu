// y = alpha * A x + y0 for a short and very wide matrix (a projection onto 96 basis vectors).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char* file, int line)
{
    if (err != cudaSuccess) { printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line); exit(EXIT_FAILURE); }
}

const int threadsPerBlock = 256;

const int rowsPerBlock = 2;
const int chunk4 = 1280;                 // float4 of x per block

// Split-K: the wide dimension is cut into chunks, so that the whole GPU has work; every block adds its
// share of rowsPerBlock rows to y with one atomic per row. K must be a multiple of 4 (checked by the host).
__global__ void __launch_bounds__(threadsPerBlock)
gemv_splitk(const float4* __restrict__ A, const float4* __restrict__ x, float alpha, int M, int K4, float* __restrict__ y)
{
    __shared__ float part[rowsPerBlock][threadsPerBlock / 32];
    const int row0 = blockIdx.y * rowsPerBlock;
    const int begin = blockIdx.x * chunk4;
    const int end = min(K4, begin + chunk4);
    float acc[rowsPerBlock] = {};
    for (int k = begin + threadIdx.x; k < end; k += threadsPerBlock) {
        const float4 v = __ldg(&x[k]);
#pragma unroll
        for (int r = 0; r < rowsPerBlock; r++) {
            if (row0 + r < M) {
                const float4 a = __ldg(&A[(size_t)(row0 + r) * K4 + k]);
                acc[r] += (a.x * v.x + a.y * v.y) + (a.z * v.z + a.w * v.w);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < rowsPerBlock; r++) {
        float t = acc[r];
        for (int o = 16; o; o >>= 1) t += __shfl_down_sync(0xffffffffu, t, o);
        if ((threadIdx.x & 31) == 0) part[r][threadIdx.x >> 5] = t;
    }
    __syncthreads();
    if (threadIdx.x < rowsPerBlock && row0 + (int)threadIdx.x < M) {
        float t = 0;
#pragma unroll
        for (int w = 0; w < threadsPerBlock / 32; w++) t += part[threadIdx.x][w];
        atomicAdd(&y[row0 + threadIdx.x], alpha * t);
    }
}

int main()
{
    const int M = 72, K = 40004;
    std::vector<float> A((size_t)M * K), x(K), y(M);
    unsigned s = 17;
    for (auto& a : A) { s = s * 1664525u + 1013904223u; a = (float)(int)((s >> 16) & 255) / 128.0f - 0.9f; }
    for (int k = 0; k < K; k++) x[k] = 0.5f + 0.4f * sinf(0.001f * k);
    for (int m = 0; m < M; m++) y[m] = 0.1f * m;
    float *dA, *dx, *dy;
    HANDLE_ERROR(cudaMalloc((void**)&dA, A.size() * sizeof(float)));
    HANDLE_ERROR(cudaMalloc((void**)&dx, K * sizeof(float)));
    HANDLE_ERROR(cudaMalloc((void**)&dy, M * sizeof(float)));
    HANDLE_ERROR(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dx, x.data(), K * sizeof(float), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dy, y.data(), M * sizeof(float), cudaMemcpyHostToDevice));

    if (K % 4) { printf("K must be a multiple of 4\n"); return 1; }
    dim3 grid((K / 4 + chunk4 - 1) / chunk4, (M + rowsPerBlock - 1) / rowsPerBlock);
    gemv_splitk<<<grid, threadsPerBlock>>>((const float4*)dA, (const float4*)dx, 0.01f, M, K / 4, dy);
    HANDLE_ERROR(cudaGetLastError());

    HANDLE_ERROR(cudaMemcpy(y.data(), dy, M * sizeof(float), cudaMemcpyDeviceToHost));
    double n2 = 0;
    for (float v : y) n2 += (double)v * v;
    printf("|y| = %.4f\n", sqrt(n2));
    for (int m = 0; m < M; m += 10) printf("y[%d] = %.4f\n", m, y[m]);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return 0;
}
