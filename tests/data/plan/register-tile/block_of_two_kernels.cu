// kernel=outer line=15 finding=KO108
#include <cstdio>

__global__ void fill(float *m, int n, float v)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n && c < n) m[r * n + c] = v * ((r + 2 * c) % 5);
}

__global__ void outer(const float *a, const float *b, float *out, int n)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n || c >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + c];
    out[r * n + c] = sum;
}

int main()
{
    const int n = 512;
    float *a, *b, *out;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&out, n * n * sizeof(float));
    dim3 block(32, 32), grid((n + 31) / 32, (n + 31) / 32);   // block serves both
    fill<<<grid, block>>>(a, n, 1.0f);
    fill<<<grid, block>>>(b, n, 0.5f);
    outer<<<grid, block>>>(a, b, out, n);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[0], out[n * n - 1]);
}
