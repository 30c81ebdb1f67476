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

__global__ void apply_elements(const int4 *quad, const double *coef, int ne, const double *u, double *y)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ne) return;
    int4 q = quad[e];
    double c = coef[e];
    int node[4] = {q.x, q.y, q.z, q.w};
    double ue[4];
    for (int a = 0; a < 4; ++a) ue[a] = u[node[a]];
    for (int a = 0; a < 4; ++a) {
        double s = 0.0;
        for (int b = 0; b < 4; ++b) s += Ke[a][b] * ue[b];
        atomicAdd(&y[node[a]], c * s);
    }
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

    std::vector<int4> quad(ne);
    std::vector<double> coef(ne), u(nn), f(nn);
    for (int j = 0; j < ey; ++j)
        for (int i = 0; i < ex; ++i) {
            int n0 = j * nx + i;
            quad[j * ex + i] = make_int4(n0, n0 + 1, n0 + 1 + nx, n0 + nx);
            coef[j * ex + i] = 1.0 + 0.5 * std::sin(0.1 * i) * std::cos(0.07 * j);
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
        apply_elements<<<(ne + 127) / 128, 128>>>(dq, dc, ne, du, dy);
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
