// Matrix-free application of the bilinear-quad Laplace stiffness, element by element:
//   y = K u,   K = sum over elements of  coef[e] * Ke
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace {

void gpu(cudaError_t rc)
{
    if (rc) { std::printf("CUDA: %s\n", cudaGetErrorString(rc)); std::exit(1); }
}

template <class T>
T *to_device(const std::vector<T> &v)
{
    T *p = nullptr;
    gpu(cudaMalloc(&p, v.size() * sizeof(T)));
    gpu(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

} // namespace

__constant__ double Ke[4][4];

// Elements [first, last) all have the same colour: no two of them share a node,
// hence plain adds, no double-precision atomics.
__global__ void apply_elements(const int4 *__restrict__ quad, const double *__restrict__ coef, int first, int last,
                               const double *__restrict__ u, double *__restrict__ y)
{
    int e = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= last) return;
    const int4 q = quad[e];
    const double c = coef[e];
    const double u0 = __ldg(u + q.x), u1 = __ldg(u + q.y), u2 = __ldg(u + q.z), u3 = __ldg(u + q.w);
    const int node[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int a = 0; a < 4; ++a)
        y[node[a]] += c * (Ke[a][0] * u0 + Ke[a][1] * u1 + Ke[a][2] * u2 + Ke[a][3] * u3);
}

__global__ void richardson(double *u, const double *f, double *y, double omega, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u[i] += omega * (f[i] - y[i]);
    y[i] = 0.0;
}

int main()
{
    const int ex = 160, ey = 120, ne = ex * ey;
    const int nx = ex + 1, nn = nx * (ey + 1);
    const int sweeps = 8;

    const double k[4][4] = {{ 4 / 6.0, -1 / 6.0, -2 / 6.0, -1 / 6.0},
                            {-1 / 6.0,  4 / 6.0, -1 / 6.0, -2 / 6.0},
                            {-2 / 6.0, -1 / 6.0,  4 / 6.0, -1 / 6.0},
                            {-1 / 6.0, -2 / 6.0, -1 / 6.0,  4 / 6.0}};
    gpu(cudaMemcpyToSymbol(Ke, k, sizeof k));

    // checkerboard order: all red elements first, then all black ones
    std::vector<int4> quad;
    std::vector<double> coef, u(nn), f(nn);
    quad.reserve(ne);
    coef.reserve(ne);
    int red = 0;
    for (int colour = 0; colour < 2; ++colour) {
        for (int j = 0; j < ey; ++j)
            for (int i = (j + colour) & 1; i < ex; i += 2) {
                int n0 = j * nx + i;
                quad.push_back(make_int4(n0, n0 + 1, n0 + 1 + nx, n0 + nx));
                coef.push_back(1.0 + 0.5 * std::sin(0.1 * i) * std::cos(0.07 * j));
            }
        if (colour == 0) red = (int)quad.size();
    }
    for (int v = 0; v < nn; ++v) {
        u[v] = 0.001 * ((v * 37) % 101);
        f[v] = (v % nx == 0 || v % nx == ex) ? 0.0 : 1e-3 * std::cos(0.02 * v);
    }

    int4 *dq = to_device(quad);
    double *dc = to_device(coef), *du = to_device(u), *df = to_device(f), *dy;
    gpu(cudaMalloc(&dy, nn * sizeof(double)));
    gpu(cudaMemset(dy, 0, nn * sizeof(double)));

    for (int s = 0; s < sweeps; ++s) {
        apply_elements<<<(red + 127) / 128, 128>>>(dq, dc, 0, red, du, dy);
        apply_elements<<<(ne - red + 127) / 128, 128>>>(dq, dc, red, ne, du, dy);
        richardson<<<(nn + 255) / 256, 256>>>(du, df, dy, 0.2, nn);
    }
    gpu(cudaGetLastError());
    gpu(cudaMemcpy(u.data(), du, nn * sizeof(double), cudaMemcpyDeviceToHost));

    double s1 = 0, s2 = 0;
    for (double v : u) { s1 += v; s2 += v * v; }
    std::printf("nodes %d  mean %.12f  rms %.12f  u[mid] %.12f\n", nn, s1 / nn, std::sqrt(s2 / nn), u[nn / 2]);

    gpu(cudaFree(dq)); gpu(cudaFree(dc)); gpu(cudaFree(du)); gpu(cudaFree(df)); gpu(cudaFree(dy));
    return 0;
}
