// MUST NOT be coarsened as is: block cooperates through shared memory
#include <cstdio>
#include <cstdlib>
#include <vector>
#define T 16
__global__ void jac(const float *a, float *b, int n)
{
    __shared__ float s[T + 2][T + 2];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    s[ty][tx] = (x < n && y < n) ? a[y * n + x] : 0;
    if (threadIdx.x == 0) s[ty][0] = (x > 0 && y < n) ? a[y * n + x - 1] : 0;
    if (threadIdx.x == T - 1) s[ty][T + 1] = (x < n - 1 && y < n) ? a[y * n + x + 1] : 0;
    if (threadIdx.y == 0) s[0][tx] = (y > 0 && x < n) ? a[(y - 1) * n + x] : 0;
    if (threadIdx.y == T - 1) s[T + 1][tx] = (y < n - 1 && x < n) ? a[(y + 1) * n + x] : 0;
    __syncthreads();
    if (x < n && y < n) b[y * n + x] = 0.25f * (s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1]);
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 130;
    std::vector<float> h(n * n);
    for (int i = 0; i < n * n; i++) h[i] = i % 13;
    float *a, *b; cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4);
    cudaMemcpy(a, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    dim3 g((n + T - 1) / T, (n + T - 1) / T), t(T, T);
    jac<<<g, t>>>(a, b, n);
    cudaMemcpy(h.data(), b, n * n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (float v : h) s += v; printf("%f\n", s);
}
