// kernel=project line=10 finding=KO111
#include <cstdio>

__global__ void project(const float *A, const float *q, float *r, int rows, int cols, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols)
        return;
    float dot = 0.f;
    const int share = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(rows, begin + share);
    for (int i = begin; i < end; i++)
        dot += q[i] * A[i * cols + j];
    atomicAdd(&r[j], -dot);
}

int main()
{
    int rows = 300, cols = 80;
    float *A, *q, *r;
    cudaMallocManaged(&A, rows * cols * sizeof(float));
    cudaMallocManaged(&q, rows * sizeof(float));
    cudaMallocManaged(&r, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) A[i] = (i % 17) * 0.125f;
    for (int i = 0; i < rows; i++) q[i] = (i % 4) * 0.5f;
    for (int j = 0; j < cols; j++) r[j] = j;
    for (int k = 0; k < 3; k++)
        project<<<dim3((cols - k - 1 + 31) / 32, 32), 32>>>(A, q, r, rows, cols, k);
    cudaDeviceSynchronize();
    float total = 0;
    for (int j = 0; j < cols; j++) total += r[j];
    printf("%.3f\n", total);
    return 0;
}
