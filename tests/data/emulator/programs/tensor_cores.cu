// Products of fragments in every shape and layout, against sums written out.
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <vector>
#include <mma.h>
using namespace nvcuda;

static int failures = 0;

template <class A, class C, class LayoutA, class LayoutB, int M, int N, int K>
__global__ void product(const A* a, const A* b, const C* c, C* d, int stride_a, int stride_b, bool is_row) {
  wmma::fragment<wmma::matrix_a, M, N, K, A, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, A, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
  wmma::load_matrix_sync(fa, a, stride_a);
  wmma::load_matrix_sync(fb, b, stride_b);
  wmma::load_matrix_sync(fc, c, is_row ? N : M, is_row ? wmma::mem_row_major : wmma::mem_col_major);
  wmma::fill_fragment(fd, C(0));
  wmma::mma_sync(fd, fa, fb, fd);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fc.x[i];
  wmma::store_matrix_sync(d, fd, is_row ? N : M, is_row ? wmma::mem_row_major : wmma::mem_col_major);
}

template <class A, class C, class LayoutA, class LayoutB, int M, int N, int K>
void run(const char* what, double tolerance) {
  constexpr bool a_by_row = std::is_same<LayoutA, wmma::row_major>::value, b_by_row = std::is_same<LayoutB, wmma::row_major>::value;
  const int stride_a = (a_by_row ? K : M) + 8, stride_b = (b_by_row ? N : K) + 8;
  A *a, *b;
  C *c, *d;
  cudaMallocManaged(&a, 64 * 64 * sizeof(A)), cudaMallocManaged(&b, 64 * 64 * sizeof(A));
  cudaMallocManaged(&c, M * N * sizeof(C)), cudaMallocManaged(&d, M * N * sizeof(C));
  for (int i = 0; i < 64 * 64; i++) a[i] = A(float(i * 7 % 13) - 4), b[i] = A(float(i * 5 % 11) - 3);
  for (int i = 0; i < M * N; i++) c[i] = C(float(i % 17));
  for (int is_row = 0; is_row < 2; is_row++) {
    product<A, C, LayoutA, LayoutB, M, N, K><<<1, 32>>>(a, b, c, d, stride_a, stride_b, is_row);
    if (cudaDeviceSynchronize()) failures++;
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        int at = is_row ? i * N + j : j * M + i;
        double wanted = double(float(c[at]));
        for (int k = 0; k < K; k++)
          wanted += double(float(a[a_by_row ? i * stride_a + k : k * stride_a + i])) * double(float(b[b_by_row ? k * stride_b + j : j * stride_b + k]));
        if (std::fabs(wanted - double(float(d[at]))) > tolerance && failures++ < 10) printf("%s [%d][%d]: %g, not %g\n", what, i, j, double(float(d[at])), wanted);
      }
  }
}

int main() {
  typedef wmma::row_major Row;
  typedef wmma::col_major Column;
  run<half, float, Row, Column, 16, 16, 16>("half", 0);
  run<half, float, Column, Row, 16, 16, 16>("half, columns", 0);
  run<half, float, Row, Row, 32, 8, 16>("half, 32x8", 0);
  run<half, float, Column, Column, 8, 32, 16>("half, 8x32", 0);
  run<half, half, Row, Column, 16, 16, 16>("half sums", 1);
  run<__nv_bfloat16, float, Row, Column, 16, 16, 16>("bfloat16", 0);
  run<signed char, int, Row, Column, 16, 16, 16>("bytes", 0);
  run<double, double, Row, Column, 8, 8, 4>("double", 0);
  printf("tensor_cores %s\n", failures ? "FAIL" : "PASS");
}
