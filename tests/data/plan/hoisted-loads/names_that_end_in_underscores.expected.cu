// kernel=follow line=7 finding=KO113
#include <cstdio>
__global__ void follow(const float *in_, float *out_, const float *floor_, const float *rate_, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float rate_i = rate_[i / 32];
    float floor_i = floor_[i];
    for (int t = 1; t < steps; ++t) out_[t * n + i] = fmaxf(out_[(t - 1) * n + i] * rate_i, floor_i) + in_[t * n + i];
}

int main()
{
    int n = 512, steps = 30;
    float *in, *out, *low, *rate, h[512];
    cudaMalloc(&in, n * steps * 4);
    cudaMalloc(&out, n * steps * 4);
    cudaMalloc(&low, n * 4);
    cudaMalloc(&rate, n / 32 * 4);
    cudaMemset(in, 0, n * steps * 4);
    cudaMemset(out, 0, n * steps * 4);
    for (int i = 0; i < n; i++) h[i] = i * 0.01f;
    cudaMemcpy(low, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(rate, h, n / 32 * 4, cudaMemcpyHostToDevice);
    follow<<<n / 128, 128>>>(in, out, low, rate, n, steps);
    cudaMemcpy(h, out + n * (steps - 1), n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[100]);
}
