#include <cstdio>
#include <vector>

// tiles of 32 x 32, each turned by a quarter
__global__ void turned(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int r = 0; r < 32; r += 8) {
        int y = blockIdx.y * 32 + threadIdx.y + r;
        out[y * n + x] = in[(blockIdx.y * 32 + threadIdx.x) * n + blockIdx.x * 32 + 31 - threadIdx.y - r];
    }
}

void turn(float *out, const float *in, int n)
{
    turned<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
}

int main()
{
    const int n = 2048;
    std::vector<float> h(n * n);
    for (int i = 0; i < n * n; i++) h[i] = (i * 37 % 1009) / 64.0f;
    float *in, *out;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&out, n * n * 4);
    cudaMemcpy(in, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    turn(out, in, n);
    cudaMemcpy(h.data(), out, n * n * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n * n; i++) s += h[i] * (i % 5);
    printf("%.2f\n", s);
}
