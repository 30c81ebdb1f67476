#include <vec/axpy.hpp>

namespace vec {

namespace kernel {
__global__ void axpy(real a, real const *x, real *y, int n)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] += a * x[i];
}
}

void axpy(real a, real const *x, real *y, int n)
{
    kernel::axpy<<<(n + threads - 1) / threads, threads>>>(a, x, y, n);
}

} // namespace vec
