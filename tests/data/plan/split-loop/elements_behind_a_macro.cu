// kernel=project line=11 finding=KO111
#include <cstdio>

#define AT(m, i, j) m[(i) * cols + (j)]

__global__ void project(float *A, const float *Q, float *R, int rows, int cols, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols) return;
    float dot = 0.f;
    for (int i = 0; i < rows; i++)
        dot += AT(Q, i, k) * AT(A, i, j);
    AT(R, k, j) = dot;
    for (int i = 0; i < rows; i++)
        AT(A, i, j) -= AT(Q, i, k) * dot;
}

int main()
{
    const int rows = 200, cols = 70;
    float *h = new float[rows * cols], *A, *Q, *R;
    for (int i = 0; i < rows * cols; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&A, rows * cols * sizeof(float));
    cudaMalloc(&Q, rows * cols * sizeof(float));
    cudaMalloc(&R, cols * cols * sizeof(float));
    cudaMemcpy(A, h, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(Q, h, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(R, 0, cols * cols * sizeof(float));
    for (int k = 0; k < 3; k++)
        project<<<(cols - k - 1 + 63) / 64, 64>>>(A, Q, R, rows, cols, k);
    cudaMemcpy(h, A, rows * cols * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.3f\n", h[rows * cols - 1]);
    return 0;
}
