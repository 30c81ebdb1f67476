// kernel=turn line=11 finding=KO126
#include <cmath>
#include <cstdio>

struct Point { float x, y; };

__global__ void turn(Point *points, const float *angles, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int s = 0; s < steps; ++s) {
        float c, si;
        sincosf(angles[i] + 0.1f * s, &si, &c);
        const Point p = points[i];
        points[i] = {c * p.x - si * p.y, si * p.x + c * p.y};
    }
}

int main() {
    const int n = 301, steps = 8;
    Point *points;
    float *angles;
    cudaMallocManaged(&points, n * sizeof(Point));
    cudaMallocManaged(&angles, n * sizeof(float));
    for (int i = 0; i < n; ++i) points[i] = {1.0f + i % 7, 0.5f * (i % 3)}, angles[i] = 0.013f * i;
    turn<<<(n + 63) / 64, 64>>>(points, angles, n, steps);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        const double a = steps * 0.013 * i + 0.1 * steps * (steps - 1) / 2, x = 1.0 + i % 7, y = 0.5 * (i % 3);
        if (std::fabs(points[i].x - (std::cos(a) * x - std::sin(a) * y)) > 1e-3) return std::printf("FAIL %d\n", i), 1;
    }
    return std::puts("PASS"), 0;
}
