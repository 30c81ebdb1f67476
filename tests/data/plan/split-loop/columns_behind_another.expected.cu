// kernel=project line=9 finding=KO111
#include <cstdio>

__global__ void project(float *A, const float *Q, float *R, int rows, int cols, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    float dot = 0.f;
    if (j < cols)
        for (int i = threadIdx.y; i < rows; i += 16)
            dot += Q[i * cols + k] * A[i * cols + j];
    __shared__ float dot_parts[16][32];
    dot_parts[threadIdx.y][threadIdx.x] = dot;
    __syncthreads();
    dot = dot_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) dot += dot_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && j < cols) R[k * cols + j] = dot;
    if (j < cols)
        for (int i = threadIdx.y; i < rows; i += 16)
            A[i * cols + j] -= Q[i * cols + k] * dot;
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
        project<<<(cols - k - 1 + 31) / 32, dim3(32, 16)>>>(A, Q, R, rows, cols, k);
    cudaMemcpy(h, A, rows * cols * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.3f\n", h[rows * cols - 1]);
    return 0;
}
