// kernel=distances line=32 finding=KO111
#include <cstdio>

__global__ void distances(const float *points, float *dist, int count, int dims)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= count)
        return;
    // to every other point
    for (int b = 0; b < count; b++) {
        float sum = 0.0f;
        for (int d = 0; d < dims; d++) {
            if (points[a * dims + d] < 0) continue;
            float diff = points[a * dims + d] - points[b * dims + d];
            sum += diff * diff;
        }
        dist[a * count + b] = sum; // squared
    }
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    int threads = 64;
    int blocks = (n + threads - 1) / threads;
    distances<<<blocks, threads>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
