// kernel=blur line=7 finding=KO102
#include <cstdio>

__global__ void blur(const float *__restrict__ in, float *__restrict__ out, int n, int m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y < 2 || y >= m - 2) return;
    float s = 0;
    for (int d = -2; d <= 2; ++d) s += in[(y + d) * n + x];
    out[y * n + x] = s;
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
    blur<<<dim3(5, 4), dim3(16, 16)>>>(x, z, w, h);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
