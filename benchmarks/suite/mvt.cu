#include <iostream>
#include <vector>
#include <cstdlib>

#define CK(x) if((x) != cudaSuccess) { std::cout << "cuda failed at line " << __LINE__ << std::endl; return 1; }

// x1 = x1 + A * y1,  x2 = x2 + A' * y2

__global__ void mv(int n, const float *A, float *x1, const float *y1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            x1[i] = x1[i] + A[(size_t)i * n + j] * y1[j];
}

__global__ void mtv(int n, const float *A, float *x2, const float *y2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            x2[i] = x2[i] + A[(size_t)j * n + i] * y2[j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    std::vector<float> A((size_t)n * n), x1(n), x2(n), y1(n), y2(n);
    for (int i = 0; i < n; i++) {
        x1[i] = (float)i / n;
        x2[i] = (float)(n - i) / n;
        y1[i] = (i % 3) * 0.1f;
        y2[i] = (i % 4) * 0.1f;
        for (int j = 0; j < n; j++)
            A[(size_t)i * n + j] = ((i ^ j) % 32) / 32.0f;
    }

    float *dA, *dx1, *dx2, *dy1, *dy2;
    size_t vec = n * sizeof(float);
    CK(cudaMalloc(&dA, vec * n));
    CK(cudaMalloc(&dx1, vec));
    CK(cudaMalloc(&dx2, vec));
    CK(cudaMalloc(&dy1, vec));
    CK(cudaMalloc(&dy2, vec));
    CK(cudaMemcpy(dA, &A[0], vec * n, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dx1, &x1[0], vec, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dx2, &x2[0], vec, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dy1, &y1[0], vec, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dy2, &y2[0], vec, cudaMemcpyHostToDevice));

    mv<<<(n + 63) / 64, 64>>>(n, dA, dx1, dy1);
    CK(cudaGetLastError());
    mtv<<<(n + 63) / 64, 64>>>(n, dA, dx2, dy2);
    CK(cudaGetLastError());

    CK(cudaMemcpy(&x1[0], dx1, vec, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&x2[0], dx2, vec, cudaMemcpyDeviceToHost));
    double s1 = 0, s2 = 0;
    for (int i = 0; i < n; i++) {
        s1 += x1[i];
        s2 += x2[i];
    }
    std::cout << "x1: " << s1 << " x2: " << s2 << std::endl;

    cudaFree(dA);
    cudaFree(dx1);
    cudaFree(dx2);
    cudaFree(dy1);
    cudaFree(dy2);
    return 0;
}
