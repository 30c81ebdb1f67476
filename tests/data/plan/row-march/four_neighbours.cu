// kernel=jacobi line=7 finding=KO102
#include <cstdio>

__global__ void jacobi(const float *__restrict__ old_grid, float *__restrict__ new_grid, int n, int m) {
  int col = threadIdx.x + blockIdx.x * blockDim.x + 1;
  int row = threadIdx.y + blockIdx.y * blockDim.y + 1;
  int pitch = n + 2;
  if (col <= n && row <= m) {
    new_grid[row * pitch + col] = 0.25f * (old_grid[(row - 1) * pitch + col] + old_grid[(row + 1) * pitch + col] +
                                           old_grid[row * pitch + col - 1] + old_grid[row * pitch + col + 1]);
  }
}

int main() {
    const int w = 75, h = 52;
    static float a[w * h], b[w * h];
    for (int i = 0; i < w * h; ++i) {
        a[i] = (float)(i * 37 % 201);
        b[i] = (float)(i * 11 % 97);
    }
    float *x, *y, *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof a);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(z, b, sizeof b, cudaMemcpyHostToDevice);
    dim3 block(16, 16), blocks((w + 13) / 16, (h + 13) / 16);
    jacobi<<<blocks, block>>>(x, z, w - 2, h - 2);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
