// A polynomial of every element, twenty times as a benchmark does it, and the sum of what each block has.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int BLOCK = 128, TERMS = 48;

__global__ void polynomial(float *y, const float *x, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = x[i], sum = 0;
    for (int k = 0; k < TERMS; k++) sum = sum * v + 1.0f / (k + 1);
    y[i] = sum;
}

__global__ void block_sums(float *sums, const float *y, int n) {
    __shared__ float part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < n ? y[i] : 0;
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
    for (int turn = 0; turn < turns; turn++) polynomial<<<blocks, BLOCK>>>(dy, dx, n);
    block_sums<<<blocks, BLOCK>>>(ds, dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), ds, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (float sum : sums) total += sum;
    printf("total %.4f, first %.6f\n", total, y[0]);
}
