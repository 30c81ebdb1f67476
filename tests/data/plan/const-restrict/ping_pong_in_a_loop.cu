// kernel=smooth line=16 finding=KO113
#include <cstdio>
#include <utility>

__global__ void fill(float *x, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

__global__ void smooth(const float *src, float dst[], int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int left = x > 0 ? x - 1 : x, right = x + 1 < width ? x + 1 : x;
    dst[y * width + x] = src[y * width + left];
    dst[y * width + x] += src[y * width + right];
    dst[y * width + x] *= 0.5f;
}

int main() {
    const int width = 50, height = 30, n = width * height;
    float *front, *back;
    cudaMalloc(&front, n * sizeof(float));
    cudaMalloc(&back, n * sizeof(float));
    fill<<<(n + 255) / 256, 256>>>(front, 3.0f, n);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    for (int step = 0; step < 4; ++step) {
        smooth<<<grid, block>>>(front, back, width, height);
        std::swap(front, back);
    }
    float *host = new float[n];
    cudaMemcpy(host, front, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (host[i] != 3.0f) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
