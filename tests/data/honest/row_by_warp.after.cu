// A row a warp: neighbouring threads read neighbouring elements.
#include <cstdio>
#include <vector>

__global__ void columns(float *out, const float *in, int width, int height)
{
    for (int y = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32; y < height; y += gridDim.x * blockDim.x / 32)
        for (int x = threadIdx.x % 32; x < width; x += 32)
            out[y * width + x] = 2.0f * in[y * width + x] + 1.0f;
}

int main()
{
    const int n = 131072;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 31 % 257) / 16.0f - 8.0f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    columns<<<n / 128 / 128, 128>>>(out, in, 128, n / 128);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
