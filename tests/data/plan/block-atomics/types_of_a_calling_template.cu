// kernel=kinetic line=14 finding=KO110
#include <iostream>
#include <vector>
using real = double;
namespace md {
template <typename Real, typename Count>
__global__ void kinetic(const Real *vx, const Real *vy, const Real *mass, Count n, Real *energy, unsigned long long *fast)
{
    Count id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n)
    {
        Real e = Real(0.5) * mass[id] * (vx[id] * vx[id] + vy[id] * vy[id]);
        atomicAdd(energy, e);
        atomicMax(fast, (unsigned long long)(e * 1000));
    }
}
}
template <typename R> R run(int n) {
    std::vector<R> x(n), m(n);
    for (int i = 0; i < n; ++i) { x[i] = R((i * 37 % 101) - 50) / 16; m[i] = R(i % 7 + 1); }
    R *dx, *dm, *de; unsigned long long *df;
    cudaMalloc(&dx, n * sizeof(R)); cudaMalloc(&dm, n * sizeof(R)); cudaMalloc(&de, sizeof(R)); cudaMalloc(&df, 8);
    cudaMemcpy(dx, x.data(), n * sizeof(R), cudaMemcpyHostToDevice);
    cudaMemcpy(dm, m.data(), n * sizeof(R), cudaMemcpyHostToDevice);
    cudaMemset(de, 0, sizeof(R)); cudaMemset(df, 0, 8);
    md::kinetic<R, unsigned><<<(n + 127) / 128, 128>>>(dx, dx, dm, n, de, df);
    R e; unsigned long long f; cudaMemcpy(&e, de, sizeof(R), cudaMemcpyDeviceToHost); cudaMemcpy(&f, df, 8, cudaMemcpyDeviceToHost);
    std::cout << e << " " << f << "\n";
    return e;
}
int main() { run<float>(5000); run<real>(3333); }
