// Both in one kernel, in every turn.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int BLOCK = 128, TERMS = 48;

__global__ void polynomial_and_sums(float *y, float *sums, const float *x, int n) {
    __shared__ float part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0, sum = 0;
    for (int k = 0; k < TERMS; k++) sum = sum * v + 1.0f / (k + 1);
    if (i < n) y[i] = sum;
    part[threadIdx.x] = i < n ? sum : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
    const int n = 4000, blocks = (n + BLOCK - 1) / BLOCK, turns = 20;
    std::vector<float> x(n), y(n), sums(blocks);
    for (int i = 0; i < n; i++) x[i] = (i * 37 % 1000) * 0.0009f;
    float *dx, *dy, *ds;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&ds, blocks * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int turn = 0; turn < turns; turn++) polynomial_and_sums<<<blocks, BLOCK>>>(dy, ds, dx, n);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), ds, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (float sum : sums) total += sum;
    printf("total %.4f, first %.6f\n", total, y[0]);
}
