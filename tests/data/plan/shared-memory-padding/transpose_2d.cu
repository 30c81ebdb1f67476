// kernel=transpose line=19 finding=KO103
#include <cstdio>
#include <vector>

// Transposes an n x n matrix, one 32 x 32 tile per block.
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];  // one tile

    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();

    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int n = 100;
    std::vector<float> host(n * n), result(n * n);
    for (int i = 0; i < n * n; i++) host[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 32), grid((n + 31) / 32, (n + 31) / 32);
    transpose<<<grid, block>>>(out, in, n);
    cudaMemcpy(result.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += result[i * n + j] != host[j * n + i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
