// kernel=relax line=12 finding=KO108
#include <cfloat>
#include <cstdio>

#define DIM 16
static inline int blocks_for(int n) { return (n + DIM - 1) / DIM; }

__global__ void relax(const float *left, const float *right, const float *toll, float *best, int rows, int inner, int cols) {
    const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows || c >= cols) return;
    float shortest = FLT_MAX;
    for (int k = 0; k < inner; ++k) shortest = fminf(shortest, left[r * inner + k] + right[k * cols + c] + toll[k]);
    int at = r * cols + c;
    best[at] = shortest;
}

int main() {
    const int rows = 60, inner = 33, cols = 47;
    float *left, *right, *toll, *best;
    cudaMallocManaged(&left, rows * inner * sizeof(float));
    cudaMallocManaged(&right, inner * cols * sizeof(float));
    cudaMallocManaged(&toll, inner * sizeof(float));
    cudaMallocManaged(&best, rows * cols * sizeof(float));
    for (int i = 0; i < rows * inner; ++i) left[i] = i * 3 % 19;
    for (int i = 0; i < inner * cols; ++i) right[i] = i * 11 % 23;
    for (int i = 0; i < inner; ++i) toll[i] = i % 4;
    relax<<<dim3(blocks_for(cols), blocks_for(rows)), dim3(DIM, DIM)>>>(left, right, toll, best, rows, inner, cols);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < rows * cols; ++i) sum += best[i];
    printf("%g\n", sum);
    return 0;
}
