// kernel=relax line=12 finding=KO102
#include <cstdio>
#include <vector>

#define BX 16
#define BY 8

__global__ void relax(const float *from, float *to, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= w - 1 || j >= h - 1) return;
    to[j * w + i] = 0.2f * (from[j * w + i] + from[j * w + i - 1] + from[j * w + i + 1] + from[(j - 1) * w + i] + from[(j + 1) * w + i]);
}

int main()
{
    const int w = 130, h = 70;
    std::vector<float> v(w * h);
    for (int i = 0; i < w * h; i++) v[i] = (i * 31 % 97) / 97.0f;
    float *a, *b;
    cudaMalloc(&a, w * h * sizeof(float));
    cudaMalloc(&b, w * h * sizeof(float));
    cudaMemcpy(a, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    relax<<<dim3((w + BX - 1) / BX, (h + BY - 1) / BY), dim3(BX, BY)>>>(a, b, w, h);
    cudaMemcpy(v.data(), b, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[w + 1]);
    cudaFree(a);
    cudaFree(b);
}
