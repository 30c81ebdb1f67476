// kernel=rotate line=9 finding=KO106
#define _USE_MATH_DEFINES
#include <cmath>
#include <cstdio>

__global__ void rotate(float2 *points, const float *turns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float angle = 2.0f * (float)M_PI * turns[i];
    float2 p = points[i];
    points[i] = make_float2(p.x * cos(angle) - p.y * sin(angle), p.x * sin(angle) + p.y * cos(angle));
}

int main() {
    const int n = 40;
    float2 *points;
    float *turns;
    cudaMallocManaged(&points, n * sizeof(float2));
    cudaMallocManaged(&turns, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        points[i] = make_float2(1, 0);
        turns[i] = i % 2 ? 0.25f : 0.5f;
    }
    rotate<<<1, 64>>>(points, turns, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        float x = i % 2 ? 0 : -1, y = i % 2 ? 1 : 0;
        if (fabsf(points[i].x - x) > 1e-5f || fabsf(points[i].y - y) > 1e-5f) return puts("FAIL"), 1;
    }
    puts("PASS");
    return 0;
}
