// kernel=kinetic line=14 finding=KO110
#include <iostream>
#include <vector>
using real = double;
namespace md {
template <typename Real, typename Count>
__global__ void kinetic(const Real *vx, const Real *vy, const Real *mass, Count n, Real *energy, unsigned long long *fast)
{
    Count id = blockIdx.x * blockDim.x + threadIdx.x;
    Real thread_energy = 0;
    unsigned long long thread_fast = 0;
    if (id < n)
    {
        Real e = Real(0.5) * mass[id] * (vx[id] * vx[id] + vy[id] * vy[id]);
        thread_energy += e;
        thread_fast = max(thread_fast, (unsigned long long)(e * 1000));
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        thread_energy += __shfl_down_sync(0xffffffff, thread_energy, offset);
        thread_fast = max(thread_fast, __shfl_down_sync(0xffffffff, thread_fast, offset));
    }
    __shared__ Real warp_energy[4];
    __shared__ unsigned long long warp_fast[4];
    if (threadIdx.x % 32 == 0) {
        warp_energy[threadIdx.x / 32] = thread_energy;
        warp_fast[threadIdx.x / 32] = thread_fast;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 4; warp++) {
            thread_energy += warp_energy[warp];
            thread_fast = max(thread_fast, warp_fast[warp]);
        }
        atomicAdd(energy, thread_energy);
        atomicMax(fast, thread_fast);
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
