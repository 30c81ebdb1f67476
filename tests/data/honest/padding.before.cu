// Turns 32 x 32 tiles in place; 32-way bank conflicts.
#include <cstdio>
#include <vector>

__global__ void turn(float *data, int n)
{
    __shared__ float tile[32][32];
    float *block = data + blockIdx.x * 1024;
    for (int row = threadIdx.y; row < 32; row += 8)
        tile[row][threadIdx.x] = block[row * 32 + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += 8)
        block[row * 32 + threadIdx.x] = tile[threadIdx.x][row];
}

int main()
{
    const int n = 40960;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 31 % 257) / 16.0f - 8.0f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    cudaMemcpy(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    turn<<<n / 1024, dim3(32, 8)>>>(out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
