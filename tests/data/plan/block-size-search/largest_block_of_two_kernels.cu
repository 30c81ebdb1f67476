// kernel=second line=9 finding=KO127
#include <cstdio>
#include <vector>

__global__ void first(float *v, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) v[y * w + x] += 1.0f;
}
__global__ void second(float *v, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) v[y * w + x] *= 3.0f;
}

int main() {
    const int w = 100, h = 100;
    std::vector<float> m(w * h, 1.0f);
    float *d;
    cudaMalloc(&d, w * h * sizeof(float));
    cudaMemcpy(d, m.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 32), grid((w + 31) / 32, (h + 31) / 32);
    first<<<grid, block>>>(d, w, h);
    second<<<grid, block>>>(d, w, h);
    cudaMemcpy(m.data(), d, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", m[w * h - 1]);
    cudaFree(d);
    return 0;
}
