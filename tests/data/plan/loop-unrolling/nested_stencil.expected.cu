// kernel=box line=14 finding=KO114
#include <cstdio>

#define R 1
#define W (2 * R + 1)

extern "C" __global__ void box(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + R;
    int y = blockIdx.y * blockDim.y + threadIdx.y + R;
    if (x >= width - R || y >= height - R)
        return;
    float sum = 0.f;
    #pragma unroll
    for (int dy = 0; dy < W; ++dy) { /* rows */
        for (int dx = 0; dx < W; ++dx)
            sum += in[(y + dy - R) * width + x + dx - R];
    }
    out[y * width + x] = sum / (W * W);
}

int main()
{
    const int width = 30, height = 20;
    float *in, *out;
    cudaMallocManaged(&in, width * height * sizeof(float));
    cudaMallocManaged(&out, width * height * sizeof(float));
    for (int i = 0; i < width * height; ++i) { in[i] = 3; out[i] = 3; }
    box<<<dim3(2, 2), dim3(16, 16)>>>(out, in, width, height);
    cudaDeviceSynchronize();
    for (int i = 0; i < width * height; ++i)
        if (out[i] != 3) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
