// kernel=update line=13 finding=KO108
#include <cstdio>

__global__ void update(float *c, const float *a, const float *b, int m, int n, int depth)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = i < m && j < n ? c[i * n + j] : 0.0f;
    __shared__ float a_tile[8][8];
    __shared__ float b_tile[8][8];
    for (int tile = 0; tile < depth; tile += 8) {
        a_tile[threadIdx.y][threadIdx.x] = i < m && tile + threadIdx.x < depth ? a[i * depth + tile + threadIdx.x] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = j < n && tile + threadIdx.y < depth ? b[(tile + threadIdx.y) * n + j] : 0.0f;
        __syncthreads();
        for (int k = tile; k < tile + 8 && k < depth; ++k) {
            sum -= a_tile[threadIdx.y][k - tile] * b_tile[k - tile][threadIdx.x];
        }
        __syncthreads();
    }
    if (i >= m || j >= n)
        return;
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
