// kernel=apply line=9 finding=KO101
#include <cstdio>
#include <vector>
namespace lin { struct Extent { unsigned n; unsigned m; }; struct Problem { Extent e; double shift; }; }
__global__ void apply(const double *A, const double *x, double *y, lin::Problem p) {
    unsigned row = (blockDim.x * blockIdx.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row < p.e.n) {
        double s = p.shift;
        if (lane != 0) s = 0;
        for (unsigned j = lane; j < p.e.m; j += 32) s += A[row * p.e.m + j] * x[j];
        for (int offset = 16; offset > 0; offset /= 2)
            s += __shfl_xor_sync(0xffffffff, s, offset);
        if (lane == 0) y[row] = s;
    }
}
int main() {
    lin::Problem p{{700, 401}, 0.25};
    std::vector<double> A(p.e.n * p.e.m), x(p.e.m), y(p.e.n);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (i % 17) * 0.125;
    for (size_t i = 0; i < x.size(); ++i) x[i] = (i % 5) - 2.0;
    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * 8); cudaMalloc(&dx, x.size() * 8); cudaMalloc(&dy, y.size() * 8);
    cudaMemcpy(dA, A.data(), A.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * 8, cudaMemcpyHostToDevice);
    apply<<<(p.e.n + 3) / 4, 128>>>(dA, dx, dy, p);
    cudaMemcpy(y.data(), dy, y.size() * 8, cudaMemcpyDeviceToHost);
    double s = 0; for (double v : y) s += v;
    printf("%.3f\n", s);
}
