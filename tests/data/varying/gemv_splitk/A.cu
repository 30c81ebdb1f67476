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

// one block per row
__global__ void gemv(const float* A, const float* x, float alpha, int K, float* y)
{
    __shared__ float cache[threadsPerBlock];
    int row = blockIdx.x;
    float temp = 0;
    for (int k = threadIdx.x; k < K; k += threadsPerBlock)
        temp += A[(size_t)row * K + k] * x[k];
    cache[threadIdx.x] = temp;
    __syncthreads();
    for (int i = threadsPerBlock / 2; i != 0; i /= 2) {
        if ((int)threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[row] += alpha * cache[0];
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

    if (K % 4) { printf("K must be a multiple of 4\n"); return 1; }     // rows are padded to 16 bytes
    gemv<<<M, threadsPerBlock>>>(dA, dx, 0.01f, K, dy);
    HANDLE_ERROR(cudaGetLastError());

    HANDLE_ERROR(cudaMemcpy(y.data(), dy, M * sizeof(float), cudaMemcpyDeviceToHost));
    double n2 = 0;
    for (float v : y) n2 += (double)v * v;
    printf("|y| = %.4f\n", sqrt(n2));
    for (int m = 0; m < M; m += 10) printf("y[%d] = %.4f\n", m, y[m]);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return 0;
}
