// Sparse matrix (CSR) times vector, and the residual of a system; a few damped Jacobi sweeps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define ASSERT_CUDA(expr)                                                      \
  { cudaError_t ec = (expr);                                                   \
    if (ec != cudaSuccess) { printf("%d: %s\n", __LINE__, cudaGetErrorString(ec)); return EXIT_FAILURE; } }

// GROUP neighbouring lanes share a row: coalesced reads of val and col, then a butterfly
// inside the group. A warp walks over several batches of rows; all of its lanes stay in the
// loop together, so that the shuffles always have a full warp.
template <int GROUP>
__global__ void spmv(int rows, const int *__restrict__ ptr, const int *__restrict__ col,
                     const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y)
{
  static_assert(GROUP >= 2 && GROUP <= 32 && (GROUP & (GROUP - 1)) == 0, "power of two");
  constexpr int ROWS_PER_WARP = 32 / GROUP;
  const int lane = threadIdx.x % 32;
  const int sub = lane / GROUP, in = lane % GROUP;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warps = gridDim.x * blockDim.x / 32;

  for (int first = warp * ROWS_PER_WARP; first < rows; first += warps * ROWS_PER_WARP) {
    const int r = first + sub;
    int k = 0, end = 0;
    if (r < rows) {
      k = ptr[r] + in;
      end = ptr[r + 1];
    }
    double acc0 = 0, acc1 = 0;
    for (; k + GROUP < end; k += 2 * GROUP) {
      acc0 += val[k] * x[col[k]];
      acc1 += val[k + GROUP] * x[col[k + GROUP]];
    }
    if (k < end) acc0 += val[k] * x[col[k]];
    double acc = acc0 + acc1;
#pragma unroll
    for (int o = GROUP / 2; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o, GROUP);
    if (in == 0 && r < rows) y[r] = acc;
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
  constexpr int group = 8;
  const int mblk = (rows + 2 * (tpb / group) - 1) / (2 * (tpb / group));   // two batches per warp
  for (int i = 0; i < sweeps; ++i) {
    spmv<group><<<mblk, tpb>>>(rows, dptr, dcol, dval, dx, dy);
    sweep<<<nblk, tpb>>>(rows, ddiag, db, dy, 0.9, dx);
  }
  spmv<group><<<mblk, tpb>>>(rows, dptr, dcol, dval, dx, dy);
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
