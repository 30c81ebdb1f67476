// y <- alpha*A*x + beta*y, A in CSR.  Anisotropic diffusion on a graph: power-like smoothing sweeps.
#include <cuda_runtime.h>
#include <iostream>
#include <iomanip>
#include <vector>
#include <cmath>

#define CUDA_OK(call)                                                            \
    if (cudaError_t err_ = (call); err_ != cudaSuccess) {                        \
        std::cerr << #call << ": " << cudaGetErrorString(err_) << std::endl;     \
        return 1;                                                                \
    }

template <typename T>
struct CsrView {
    int rows;
    const int* ptr;
    const int* col;
    const T* val;
};

// When beta is zero y is output only and is never read (as in BLAS).
template <typename T>
__global__ void csr_mv(CsrView<T> A, T alpha, const T* x, T beta, T* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= A.rows) return;
    T acc = T(0);
    for (int k = A.ptr[r]; k < A.ptr[r + 1]; ++k)
        acc += A.val[k] * x[A.col[k]];
    if (beta == T(0))
        y[r] = alpha * acc;
    else
        y[r] = alpha * acc + beta * y[r];
}

template <typename T>
static void spmv(const CsrView<T>& A, T alpha, const T* x, T beta, T* y)
{
    int bs = 128;
    csr_mv<T><<<(A.rows + bs - 1) / bs, bs>>>(A, alpha, x, beta, y);
}

int main()
{
    const int nx = 171, ny = 153, n = nx * ny;
    std::vector<int> ptr(1, 0), col;
    std::vector<double> val;
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            int r = j * nx + i;
            auto put = [&](int c, double v) { col.push_back(c); val.push_back(v); };
            if (j > 0) put(r - nx, 0.11);
            if (i > 0) put(r - 1, 0.23);
            put(r, 0.30 + 0.01 * (r % 4));
            if (i < nx - 1) put(r + 1, 0.23);
            if (j < ny - 1) put(r + nx, 0.11);
            if (r % 37 == 0)                          // a few hubs with long rows
                for (int q = 1; q <= 24; ++q) put((int)((r + 977LL * q) % n), 0.002);
            ptr.push_back((int)col.size());
        }
    std::vector<double> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = std::sin(0.01 * i) + 0.3 * std::cos(0.37 * i);

    int *dptr, *dcol;
    double *dval, *dx, *dt, *dy;
    CUDA_OK(cudaMalloc(&dptr, ptr.size() * sizeof(int)));
    CUDA_OK(cudaMalloc(&dcol, col.size() * sizeof(int)));
    CUDA_OK(cudaMalloc(&dval, val.size() * sizeof(double)));
    CUDA_OK(cudaMalloc(&dx, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&dt, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&dy, n * sizeof(double)));
    CUDA_OK(cudaMemcpy(dptr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dcol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dval, val.data(), val.size() * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    CsrView<double> A{n, dptr, dcol, dval};
    for (int sweep = 0; sweep < 4; ++sweep) {
        spmv<double>(A, 1.0, dx, 0.0, dt);      // t = A x
        spmv<double>(A, 0.5, dt, 0.25, dx);     // x = A t / 2 + x / 4
    }
    spmv<double>(A, 2.0, dx, 0.0, dy);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost));

    double s = 0, a = 0;
    for (double v : y) { s += v; a += std::fabs(v); }
    std::cout << std::setprecision(12) << "sum " << s << "  l1 " << a << "\n";
    for (int i = 0; i < n; i += n / 6) std::cout << "y[" << i << "] = " << y[i] << "\n";
    cudaFree(dptr); cudaFree(dcol); cudaFree(dval); cudaFree(dx); cudaFree(dt); cudaFree(dy);
    return 0;
}
