// Conjugate gradients for a porous medium (pressure equation), matrix in CSR
// ./conj_grad nx ny iterations
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels.h"
#include "poisson.h"

#define CK(x) do { cudaError_t err = (x); if (err != cudaSuccess) { fprintf(stderr, "CUDA error %d in line %d\n", (int)err, __LINE__); exit(1); } } while (0)

class Solver {
public:
    Solver(const CsrMatrix& m) : n(m.rows), blocks((m.rows + THREADS - 1) / THREADS), hostPartial(blocks)
    {
        size_t nnz = m.values.size();
        CK(cudaMalloc(&rowPtr, (n + 1) * sizeof(int)));
        CK(cudaMalloc(&colIdx, nnz * sizeof(int)));
        CK(cudaMalloc(&values, nnz * sizeof(double)));
        CK(cudaMemcpy(rowPtr, m.rowPtr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(colIdx, m.colIdx.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(values, m.values.data(), nnz * sizeof(double), cudaMemcpyHostToDevice));
        CK(cudaMalloc(&x, n * sizeof(double)));
        CK(cudaMalloc(&r, n * sizeof(double)));
        CK(cudaMalloc(&p, n * sizeof(double)));
        CK(cudaMalloc(&Ap, n * sizeof(double)));
        CK(cudaMalloc(&partial, blocks * sizeof(double)));
    }

    ~Solver()
    {
        cudaFree(rowPtr); cudaFree(colIdx); cudaFree(values);
        cudaFree(x); cudaFree(r); cudaFree(p); cudaFree(Ap); cudaFree(partial);
    }

    double dot(const double* a, const double* b)
    {
        dotPartial<<<blocks, THREADS>>>(n, a, b, partial);
        CK(cudaMemcpy(hostPartial.data(), partial, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        double s = 0;
        for (double v : hostPartial) s += v;
        return s;
    }

    // starts at x = 0; returns the norm of the residual
    double solve(const std::vector<double>& b, std::vector<double>& result, int iterations)
    {
        CK(cudaMemset(x, 0, n * sizeof(double)));
        CK(cudaMemcpy(r, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(p, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));

        double rr = dot(r, r);
        for (int it = 0; it < iterations && rr > 1e-20; it++) {
            spmv<<<blocks, THREADS>>>(n, rowPtr, colIdx, values, p, Ap);
            double alpha = rr / dot(p, Ap);
            axpy<<<blocks, THREADS>>>(n, alpha, p, x);
            axpy<<<blocks, THREADS>>>(n, -alpha, Ap, r);
            double rrNew = dot(r, r);
            xpby<<<blocks, THREADS>>>(n, r, rrNew / rr, p);
            rr = rrNew;
        }
        CK(cudaMemcpy(result.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
        return sqrt(rr);
    }

private:
    int n, blocks;
    int *rowPtr, *colIdx;
    double *values, *x, *r, *p, *Ap, *partial;
    std::vector<double> hostPartial;
};

int main(int argc, char** argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 256;
    int ny = argc > 2 ? atoi(argv[2]) : 256;
    int iterations = argc > 3 ? atoi(argv[3]) : 50;

    CsrMatrix m = buildPoisson(nx, ny);
    std::vector<double> b(m.rows), u(m.rows);
    for (int i = 0; i < m.rows; i++)
        b[i] = ((i * 37LL) % 101 - 50) / 50.0 + (i % nx > nx / 2 ? 0.1 : 0.0);

    double residual;
    {
        Solver solver(m);
        residual = solver.solve(b, u, iterations);
    }

    double sum = 0;
    for (double v : u) sum += v * v;
    printf("rows %d, non-zeros %zu\n", m.rows, m.values.size());
    printf("residual %.6e\n", residual);
    printf("norm of u %.6f\n", sqrt(sum));
    printf("u: %.6f %.6f %.6f\n", u[0], u[m.rows / 2], u[m.rows - 1]);
    return 0;
}
