#include <cstdio>
#include <vector>

template <typename T, int TILE>
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

template __global__ void transpose<float, 16>(const float* __restrict__, float* __restrict__, int, int);

#define DEFINE_SCALE(name, type)                                  \
    __global__ void name(type* data, type factor, int count)      \
    {                                                             \
        int i = blockIdx.x * blockDim.x + threadIdx.x;            \
        if (i < count) data[i] = data[i] * factor;                \
    }

DEFINE_SCALE(scale_float, float)

int main()
{
    const int width = 128, height = 96, count = width * height;
    std::vector<float> host(count);
    for (int i = 0; i < count; ++i) host[i] = static_cast<float>(i % 101);
    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);
    transpose<float, 16><<<grid, block>>>(in, out, width, height);
    scale_float<<<(count + 255) / 256, 256>>>(out, 2.0f, count);
    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += host[i] * (i % 7);
    printf("%f\n", sum);
}
