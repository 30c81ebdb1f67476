// kernel=stretch line=26 finding=KO111
#include <cstdio>

__global__ void stretch(const float *src, float *dst, int width, int height)
{
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= 2 * height || x >= width) return;
    int above = y / 2, below = min(above + 1, height - 1);
    float w = (y % 2) * 0.5f;
    float v = (1.0f - w) * src[above * width + x] + w * src[below * width + x];
    dst[y * width + x] = v;
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    int width = 60, height = 25;
    stretch<<<dim3((width + 31) / 32, (2 * height + 7) / 8), dim3(32, 8)>>>(d, o, width, height);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
