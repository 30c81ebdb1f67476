// kernel=update line=13 finding=KO108
#include <cstdio>

__global__ void update(float *c, const float *a, const float *b, int m, int n, int depth)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m || j >= n)
        return;

    float sum = c[i * n + j];
    for (int k = 0; k < depth; ++k)
        sum -= a[i * depth + k] * b[k * n + j];
    c[i * n + j] = sum;
}

int main()
{
    const int m = 11, n = 19, depth = 9;
    float *a, *b, *c;
    cudaMallocManaged(&a, m * depth * sizeof(float));
    cudaMallocManaged(&b, depth * n * sizeof(float));
    cudaMallocManaged(&c, m * n * sizeof(float));
    for (int i = 0; i < m * depth; ++i) a[i] = 2;
    for (int i = 0; i < depth * n; ++i) b[i] = i % n;
    for (int i = 0; i < m * n; ++i) c[i] = 1;
    const dim3 block(8, 8);
    for (int step = 0; step < 2; ++step)
        update<<<dim3((n + 7) / 8, (m + 7) / 8), block>>>(c, a, b, m, n, depth);
    cudaDeviceSynchronize();
    for (int i = 0; i < m * n; ++i)
        if (c[i] != 1 - 4 * depth * (i % n)) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
