// kernel=gram line=11 finding=KO108
#include <cstdio>
#define THREADS 128

// entries of X^T X for a table of samples, one thread each
__global__ void gram(const float* __restrict__ X, float* __restrict__ G, int samples, int dims) {
    const int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= dims * dims) return;
    const int a = t / dims, b = t % dims;
    float dot = 0.0f;
    for (int s = 0; s < samples; ++s) dot += X[s * dims + a] * X[s * dims + b];
    G[t] = dot / samples;
}

int main() {
    const int samples = 45, dims = 37;
    float *x, *g;
    cudaMallocManaged(&x, samples * dims * sizeof(float));
    cudaMallocManaged(&g, dims * dims * sizeof(float));
    for (int i = 0; i < samples * dims; ++i) x[i] = i % 9 * 0.5f;
    gram<<<(dims * dims + THREADS - 1) / THREADS, THREADS>>>(x, g, samples, dims);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < dims * dims; ++i) sum += g[i];
    printf("%f\n", sum);
}
