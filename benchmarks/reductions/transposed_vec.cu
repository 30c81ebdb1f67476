/* gradient of a linear model: g += X^T r */
#include <stdio.h>
#include <stdlib.h>
#define DIM_X 256
#define GRID(n) (((n) + DIM_X - 1) / DIM_X)
#define at(M, i, j) M[(size_t)(i) * features + (j)]

__global__ void residual(const float *X, const float *w, const float *t, float *r, int samples, int features)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < samples) {
        float p = 0;
        for (int j = 0; j < features; j++) p += at(X, i, j) * w[j];
        r[i] = p - t[i];
    }
}

__global__ void gradient(const float *X, const float *r, float *g, int samples, int features)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= features) return;
    for (int i = 0; i < samples; i++)
        g[j] += at(X, i, j) * r[i];
}

__global__ void step(float *w, float *g, float rate, int features)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < features) { w[j] -= rate * g[j]; g[j] = 0; }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 1501, features = argc > 2 ? atoi(argv[2]) : 130, steps = 3;
    float *X = (float *)malloc(sizeof(float) * samples * features), *t = (float *)malloc(sizeof(float) * samples), *w = (float *)calloc(features, sizeof(float));
    for (int i = 0; i < samples * features; i++) X[i] = (i * 61 % 127) / 127.0f - 0.5f;
    for (int i = 0; i < samples; i++) t[i] = (i % 5) * 0.1f;
    float *dX, *dw, *dt, *dr, *dg;
    cudaMalloc(&dX, sizeof(float) * samples * features); cudaMalloc(&dw, sizeof(float) * features); cudaMalloc(&dt, sizeof(float) * samples);
    cudaMalloc(&dr, sizeof(float) * samples); cudaMalloc(&dg, sizeof(float) * features);
    cudaMemcpy(dX, X, sizeof(float) * samples * features, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t, sizeof(float) * samples, cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w, sizeof(float) * features, cudaMemcpyHostToDevice);
    cudaMemset(dg, 0, sizeof(float) * features);
    for (int s = 0; s < steps; s++) {
        residual<<<GRID(samples), DIM_X>>>(dX, dw, dt, dr, samples, features);
        gradient<<<GRID(features), DIM_X>>>(dX, dr, dg, samples, features);
        step<<<GRID(features), DIM_X>>>(dw, dg, 0.5f / samples, features);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(w, dw, sizeof(float) * features, cudaMemcpyDeviceToHost);
    printf("%g %g\n", w[0], w[features - 1]);
    return 0;
}
