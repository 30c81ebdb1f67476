// Sparse matrix (CSR) times vector, and the residual of a system; a few damped Jacobi sweeps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define ASSERT_CUDA(expr)                                                      \
  { cudaError_t ec = (expr);                                                   \
    if (ec != cudaSuccess) { printf("%d: %s\n", __LINE__, cudaGetErrorString(ec)); return EXIT_FAILURE; } }

__global__ void spmv(int rows, const int *__restrict__ ptr, const int *__restrict__ col,
                     const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    double acc = 0;
    for (int k = ptr[r]; k < ptr[r + 1]; ++k) acc += val[k] * x[col[k]];
    y[r] = acc;
  }
}

__global__ void sweep(int rows, const double *diag, const double *b, const double *y, double w, double *x)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) x[r] += w * (b[r] - y[r]) / diag[r];
}

int main()
{
  const int rows = 20000, sweeps = 6;
  std::vector<int> ptr(rows + 1), col;
  std::vector<double> val, diag(rows), b(rows), x(rows, 0.0);
  unsigned s = 4711u;
  auto rnd = [&s]() { s = s * 1103515245u + 12345u; return s >> 8; };
  for (int r = 0; r < rows; ++r) {
    ptr[r] = (int)col.size();
    int len = r % 97 == 5 ? 150 : (int)(rnd() % 40);      // some long rows, some with the diagonal only
    double off = 0;
    for (int k = 0; k < len; ++k) {
      int c = (int)(rnd() % rows);
      if (c == r) continue;
      double v = -1.0 + (rnd() % 1000) * 0.0015;
      col.push_back(c);
      val.push_back(v);
      off += fabs(v);
    }
    col.push_back(r);
    val.push_back(diag[r] = 1.0 + 1.1 * off);
    b[r] = sin(0.01 * r);
  }
  ptr[rows] = (int)col.size();
  const size_t nnz = col.size();

  int *dptr, *dcol;
  double *dval, *ddiag, *db, *dx, *dy;
  ASSERT_CUDA(cudaMalloc(&dptr, (rows + 1) * sizeof(int)));
  ASSERT_CUDA(cudaMalloc(&dcol, nnz * sizeof(int)));
  ASSERT_CUDA(cudaMalloc(&dval, nnz * sizeof(double)));
  ASSERT_CUDA(cudaMalloc(&ddiag, rows * sizeof(double)));
  ASSERT_CUDA(cudaMalloc(&db, rows * sizeof(double)));
  ASSERT_CUDA(cudaMalloc(&dx, rows * sizeof(double)));
  ASSERT_CUDA(cudaMalloc(&dy, rows * sizeof(double)));
  ASSERT_CUDA(cudaMemcpy(dptr, ptr.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(dcol, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(dval, val.data(), nnz * sizeof(double), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(ddiag, diag.data(), rows * sizeof(double), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(db, b.data(), rows * sizeof(double), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(dx, x.data(), rows * sizeof(double), cudaMemcpyHostToDevice));

  const int tpb = 128, nblk = (rows + tpb - 1) / tpb;
  for (int i = 0; i < sweeps; ++i) {
    spmv<<<nblk, tpb>>>(rows, dptr, dcol, dval, dx, dy);
    sweep<<<nblk, tpb>>>(rows, ddiag, db, dy, 0.9, dx);
  }
  spmv<<<nblk, tpb>>>(rows, dptr, dcol, dval, dx, dy);
  ASSERT_CUDA(cudaGetLastError());

  std::vector<double> y(rows);
  ASSERT_CUDA(cudaMemcpy(x.data(), dx, rows * sizeof(double), cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaMemcpy(y.data(), dy, rows * sizeof(double), cudaMemcpyDeviceToHost));
  double res = 0, sum = 0;
  for (int r = 0; r < rows; ++r) { res += (b[r] - y[r]) * (b[r] - y[r]); sum += x[r]; }
  printf("nnz %zu  residual %.9e  sum %.12f  x[7] %.12f\n", nnz, sqrt(res), sum, x[7]);
  cudaFree(dptr); cudaFree(dcol); cudaFree(dval); cudaFree(ddiag); cudaFree(db); cudaFree(dx); cudaFree(dy);
  return EXIT_SUCCESS;
}
