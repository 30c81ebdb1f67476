// kernel=forces line=17 finding=KO123
#include <cmath>
#include <cstdio>

// spring forces along a chain; the length of each link is left in `lengths` by the kernel behind
__global__ void forces(const double2 *p, double2 *f, int n, double rest, double k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
        double fx = 0, fy = 0;
        for (int side = -1; side <= 1; side += 2)
        {
            int o = i + side;
            if (o < 0 || o >= n)
                continue;
            double dx = p[o].x - p[i].x, dy = p[o].y - p[i].y;
            double dist = sqrt(dx * dx + dy * dy);   // never 0 here
            double ex = dx / dist, ey = dy / dist;
            fx += k * (dx - rest * ex);
            fy += k * (dy - rest * ey);
        }
        f[i] = make_double2(fx, fy);
    }
}

int main()
{
    const int n = 500;
    double2 *p, *f;
    cudaMallocManaged(&p, n * sizeof(double2));
    cudaMallocManaged(&f, n * sizeof(double2));
    for (int i = 0; i < n; i++) p[i] = make_double2(i * 1.1, 0.3 * (i % 3));
    forces<<<3, 64>>>(p, f, n, 1.0, 4.0);
    cudaDeviceSynchronize();
    for (int i = 1; i < n - 1; i++)
    {
        double want = 0;
        for (int o = i - 1; o <= i + 1; o += 2)
        {
            double dx = p[o].x - p[i].x, dy = p[o].y - p[i].y;
            want += 4.0 * (dx - dx / std::hypot(dx, dy));
        }
        if (!(std::fabs(f[i].x - want) <= 1e-9)) return printf("FAIL %d: %g %g\n", i, f[i].x, want), 1;
    }
    return puts("PASS"), 0;
}
