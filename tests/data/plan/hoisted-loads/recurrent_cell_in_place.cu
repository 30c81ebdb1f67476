// kernel=cell line=15 finding=KO113
#include <cstdio>

__device__ __forceinline__ float sigm(float v) { return 1.0f / (1.0f + __expf(-v)); }

// the gates were multiplied out before; h may be x
__global__ void cell(const float *gates, const float *peep, const float *bias, float *x, float *h, int H, int B, int T)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= B * H) return;
    int j = col % H;
    float c = 0.f;
    const float *g = gates + col * 3;
    for (int t = 0; t < T; t++, g += B * H * 3) {
        float f = sigm(g[1] + peep[j] * c + bias[j]);
        float r = sigm(g[2] + peep[j + H] * c + bias[j + H]);
        c = f * c + (1.0f - f) * g[0];
        h[t * B * H + col] = r * tanhf(c) + (1.0f - r) * x[t * B * H + col];
    }
}

int main()
{
    float *gates, *peep, *bias, *x;
    cudaMallocManaged(&gates, 4 * 3 * 270 * 20);
    cudaMallocManaged(&peep, 4 * 60);
    cudaMallocManaged(&bias, 4 * 60);
    cudaMallocManaged(&x, 4 * 270 * 20);
    for (int i = 0; i < 3 * 270 * 20; ++i) gates[i] = (i * 17 % 89) / 44.f - 1.f;
    for (int i = 0; i < 60; ++i) peep[i] = 0.02f * (i % 23), bias[i] = 0.03f * (i % 7);
    for (int i = 0; i < 270 * 20; ++i) x[i] = (i * 11 % 83) / 41.f - 1.f;
    cell<<<3, 128>>>(gates, peep, bias, x, x, 30, 9, 20);
    cudaDeviceSynchronize();
    printf("%f\n", x[270 * 20 - 1]);
}
