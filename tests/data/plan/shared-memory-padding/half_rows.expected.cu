// kernel=smooth line=12 finding=KO103
#include <cstdio>
#include <vector>

// Adds the left neighbour inside tiles of 16 x 16; a warp covers two half rows, which one word more would leave on the same banks.
__global__ void smooth(float *out, const float *in, int n)
{
    __shared__ float tile[16][32 + 16];

    int row = threadIdx.y, column = threadIdx.x;
    int i = blockIdx.x * 256 + row * 16 + column;
    tile[row][column] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = tile[row][column] + (column > 0 ? tile[row][column - 1] : 0.0f);
}

int main()
{
    const int n = 1000;
    std::vector<float> host(n), result(n);
    for (int i = 0; i < n; i++) host[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    smooth<<<(n + 255) / 256, block>>>(out, in, n);
    cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += result[i] != host[i] + (i % 16 ? host[i - 1] : 0.0f);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
