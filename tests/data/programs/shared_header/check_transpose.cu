#include "common.cuh"
#include <vector>

int main()
{
    const int w = 40, h = 24;
    std::vector<float> a(w * h), b(w * h);
    for (int i = 0; i < w * h; i++) a[i] = float(i);
    float *d_a, *d_b;
    CUDA_OK(cudaMalloc(&d_a, w * h * sizeof(float)));
    CUDA_OK(cudaMalloc(&d_b, w * h * sizeof(float)));
    CUDA_OK(cudaMemcpy(d_a, a.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
    run_transpose<8>(d_a, d_b, w, h);
    CUDA_OK(cudaMemcpy(b.data(), d_b, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) wrong += b[x * h + y] != a[y * w + x];
    std::printf("transpose %dx%d wrong=%d\n", w, h, wrong);
    cudaFree(d_a); cudaFree(d_b);
    return wrong != 0;
}
