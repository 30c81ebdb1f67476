// kernel=times_transposed line=14 finding=KO111 technique=split-loop
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

// x += A' y, one thread per column of A
__global__ void times_transposed(int n, int m, const float *A, float *x, const float *y)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float x_acc = c < m && n > 0 ? x[c] : 0.0f;
    if (threadIdx.y != 0) x_acc = 0;
    if (c < m)
        for (int r = threadIdx.y; r < n; r += 16)
            x_acc = x_acc + A[(size_t)r * m + c] * y[r];
    __shared__ float x_acc_parts[16][32];
    x_acc_parts[threadIdx.y][threadIdx.x] = x_acc;
    __syncthreads();
    x_acc = x_acc_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) x_acc += x_acc_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && c < m) {
        if (n > 0) x[c] = x_acc;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300, m = argc > 2 ? atoi(argv[2]) : 200;
    std::vector<float> A((size_t)n * m), x(m), y(n);
    for (size_t i = 0; i < A.size(); i++) A[i] = (i * 7 % 23) / 23.0f - 0.4f;
    for (int c = 0; c < m; c++) x[c] = c % 5;
    for (int r = 0; r < n; r++) y[r] = (r % 9) * 0.25f;
    float *dA, *dx, *dy;
    CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CHECK(cudaMalloc(&dx, m * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx, x.data(), m * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    times_transposed<<<(m + 31) / 32, dim3(32, 16)>>>(n, m, dA, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x.data(), dx, m * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : x) sum += v;
    printf("%g\n", sum);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
}
