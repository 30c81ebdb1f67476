// kernel=rowstat line=13 finding=KO101
#include <cstdio>
#include <cstdlib>

template <class T> __device__ inline T sq(T v) { return v * v; }

// mean and variance, in two passes
__global__ void rowstat(const float *__restrict__ m, float *mean, float *var, int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += m[r * cols + c];
    for (int offset = 16; offset > 0; offset /= 2)
        s += __shfl_xor_sync(0xffffffff, s, offset);
    if (lane == 0) mean[r] = s / cols;
    __syncwarp();
    float v = 0;
    for (int c = lane; c < cols; c += 32) v += sq(m[r * cols + c] - mean[r]);
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    if (lane == 0) var[r] = v / cols;
}

int main()
{
    int rows = 90, cols = 130;
    float *m, *mean, *var;
    cudaMallocManaged(&m, rows * cols * sizeof(float));
    cudaMallocManaged(&mean, rows * sizeof(float));
    cudaMallocManaged(&var, rows * sizeof(float));
    for (int i = 0; i < rows * cols; i++) m[i] = (i * 7919 % 1000) / 1000.f;
    rowstat<<<(rows + 1) / 2, 64>>>(m, mean, var, rows, cols);
    cudaDeviceSynchronize();
    float a = 0;
    for (int i = 0; i < rows; i++) a += mean[i] * var[i];
    printf("%.5f\n", a);
}
