// Stores with a stride of `height`.
#include <cstdio>
#include <vector>

__global__ void transpose(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

int main()
{
    const int width = 170, height = 95, n = width * height;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 37 % 1009);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 32)>>>(out, in, width, height);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[1], host[n - 2]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
