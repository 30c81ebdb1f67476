// kernel=walk line=13 finding=KO120
#include <cstdio>
#include <cstdlib>

// each particle leaves a trail of positions, `every` cells apart
__global__ void walk(const float *push, float *xs, float *ys, int particles, int steps)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles)
        return;
    const int stride = particles;
    for (int i = p + stride; i < steps * stride; i += stride) {
        xs[i] = xs[i - stride] + push[i];
        ys[i] = ys[i - stride] - 0.5f * push[i];
    }
}

int main()
{
    const int particles = 100, steps = 30, n = particles * steps;
    float *h = (float *)malloc(n * sizeof(float)), *push, *xs, *ys;
    for (int i = 0; i < n; i++) h[i] = (i % 19) / 19.0f;
    cudaMalloc(&push, n * sizeof(float));
    cudaMalloc(&xs, n * sizeof(float));
    cudaMalloc(&ys, n * sizeof(float));
    cudaMemcpy(push, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(xs, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ys, h, n * sizeof(float), cudaMemcpyHostToDevice);
    walk<<<4, 32>>>(push, xs, ys, particles, steps);
    cudaMemcpy(h, xs, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    cudaMemcpy(h, ys, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    return 0;
}
