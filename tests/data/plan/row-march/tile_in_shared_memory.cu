// kernel=jac line=7 finding=KO102
#include <cstdio>

__global__ void jac(const float *__restrict__ a, float *__restrict__ b, int n, int m) {
    __shared__ float s[16][16];
    int x = blockIdx.x * 14 + threadIdx.x, y = blockIdx.y * 14 + threadIdx.y;
    if (x < n && y < m) s[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    if (threadIdx.y > 0 && threadIdx.y < 15 && x < n && y < m - 1)
        b[y * n + x] = s[threadIdx.y - 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x];
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
    jac<<<dim3(6, 4), dim3(16, 16)>>>(x, z, w, h);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
