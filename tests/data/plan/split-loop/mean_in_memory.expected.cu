// kernel=column_stats line=12 finding=KO111
#include <cstdio>
#include <cstdlib>

// mean and variance of each column, in two passes
__global__ void column_stats(const float *m, float *mean, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += 16) s += m[r * cols + c];
    __shared__ float s_parts[16][32];
    s_parts[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    s = s_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) s += s_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && c < cols) mean[c] = s / rows;
    __syncthreads();
    float v = 0;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += 16) v += (m[r * cols + c] - mean[c]) * (m[r * cols + c] - mean[c]);
    __shared__ float v_parts[16][32];
    v_parts[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    v = v_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) v += v_parts[part][threadIdx.x];
    if (threadIdx.y == 0 && c < cols) var[c] = v / rows;
}

int main()
{
    int rows = 130, cols = 90;
    float *m, *mean, *var;
    cudaMallocManaged(&m, rows * cols * sizeof(float));
    cudaMallocManaged(&mean, cols * sizeof(float));
    cudaMallocManaged(&var, cols * sizeof(float));
    for (int i = 0; i < rows * cols; i++) m[i] = (i * 7919 % 1000) / 1000.f;
    column_stats<<<(cols + 31) / 32, dim3(32, 16)>>>(m, mean, var, rows, cols);
    cudaDeviceSynchronize();
    float a = 0;
    for (int i = 0; i < cols; i++) a += mean[i] * var[i];
    printf("%.5f\n", a);
}
