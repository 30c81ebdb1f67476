// point in polygon for a lot of points (even-odd rule)
// in_polygon <points> <vertices>
#include <cstdio>
#include <cmath>
#include <string>
#include <vector>

struct Pt { double x, y; };

__global__ void inPolygon(const Pt* pts, int n, const Pt* poly, int m, int* inside, int* count)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;

    bool in = false;
    for (int i = 0, j = m - 1; i < m; j = i++) {
        if ((poly[i].y > pts[id].y) != (poly[j].y > pts[id].y) &&
            pts[id].x < (poly[j].x - poly[i].x) * (pts[id].y - poly[i].y) / (poly[j].y - poly[i].y) + poly[i].x)
            in = !in;
    }
    inside[id] = in ? 1 : 0;
    if (in) atomicAdd(count, 1);
}

#define SAFE(call) { cudaError_t r = call; if (r != cudaSuccess) { std::printf("%s failed with %s\n", #call, cudaGetErrorName(r)); return 1; } }

int main(int argc, char** argv)
{
    int n = 10000, m = 100;
    if (argc > 1) n = std::stoi(argv[1]);
    if (argc > 2) m = std::stoi(argv[2]);

    // a star with rounded, uneven arms
    std::vector<Pt> poly(m), pts(n);
    for (int i = 0; i < m; i++) {
        double phi = 2 * M_PI * i / m;
        double r = 0.7 + 0.25 * std::sin(5 * phi) + 0.04 * std::cos(23 * phi);
        poly[i] = { r * std::cos(phi), r * std::sin(phi) };
    }
    unsigned s = 5;
    for (auto& p : pts) {
        s = s * 1664525u + 1013904223u;
        p.x = s / 2147483648.0 - 1.0;
        s = s * 1664525u + 1013904223u;
        p.y = s / 2147483648.0 - 1.0;
    }

    Pt *dPts, *dPoly;
    int *dInside, *dCount;
    SAFE(cudaMalloc(&dPts, n * sizeof(Pt)));
    SAFE(cudaMalloc(&dPoly, m * sizeof(Pt)));
    SAFE(cudaMalloc(&dInside, n * sizeof(int)));
    SAFE(cudaMalloc(&dCount, sizeof(int)));
    SAFE(cudaMemcpy(dPts, pts.data(), n * sizeof(Pt), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(dPoly, poly.data(), m * sizeof(Pt), cudaMemcpyHostToDevice));
    SAFE(cudaMemset(dCount, 0, sizeof(int)));

    inPolygon<<<n / 192 + 1, 192>>>(dPts, n, dPoly, m, dInside, dCount);
    SAFE(cudaGetLastError());

    int count;
    std::vector<int> inside(n);
    SAFE(cudaMemcpy(&count, dCount, sizeof(int), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(inside.data(), dInside, n * sizeof(int), cudaMemcpyDeviceToHost));

    long long check = 0;
    for (int i = 0; i < n; i++) check += inside[i] * (long long)(i % 1009);
    std::printf("%d inside, area about %.5f, check %lld\n", count, 4.0 * count / n, check);

    SAFE(cudaFree(dPts));
    SAFE(cudaFree(dPoly));
    SAFE(cudaFree(dInside));
    SAFE(cudaFree(dCount));
}
