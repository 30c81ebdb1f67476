// kernel=lerp line=8 finding=KO106
#include <cstdio>

template <typename T>
__global__ void lerp(T *out, const T *a, const T *b, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        T t = a[y * width + x] * 0.75;
        out[y * width + x] = t + 0.25 * b[y * width + x];
    }
}

int main() {
    const int width = 20, height = 10, n = width * height;
    float *a, *b, *out;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i < n; ++i) a[i] = b[i] = i;
    dim3 block(8, 8), grid((width + 7) / 8, (height + 7) / 8);
    lerp<float><<<grid, block>>>(out, a, b, width, height);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        if (out[i] != i) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
