// Blocks of 256 threads: another grid, the same elements.
#include <cstdio>
#include <vector>

__global__ void smooth(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

int main()
{
    const int n = 30011;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 31 % 257) / 16.0f - 8.0f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    smooth<<<(n + 255) / 256, 256>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
