// A picture is turned by a quarter, through a tile, and its values are mapped by a polynomial.
#include <cstdio>
#include <vector>

#define TILE 32

__global__ void rotate(const float* in, float* out, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        double v = in[y * width + x];
        tile[threadIdx.y][threadIdx.x] = 0.25 * v * v + 0.5 * v + 1.0;
    }
    __syncthreads();
    int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    if (tx < height && ty < width) out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int width = 256, height = 192;
    std::vector<float> host(width * height);
    for (int i = 0; i < width * height; ++i) host[i] = float(i % 101) * 0.01f;
    float *in, *out;
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc(&out, host.size() * sizeof(float));
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    rotate<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(in, out, width, height);
    cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (int i = 0; i < width * height; ++i) total += host[i] * (i % 7);
    printf("%f\n", total);
    return 0;
}
