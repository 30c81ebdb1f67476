// A product whose result would go where no fragment is.
#include <cstdio>
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sum;

__global__ void into(float* place) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  Sum c;
  wmma::fill_fragment(a, __float2half(1));
  wmma::fill_fragment(b, __float2half(1));
  wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(*reinterpret_cast<Sum*>(place), a, b, c);
}

int main() {
  static float on_host[64];
  into<<<1, 32>>>(on_host);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s %g\n", cudaGetErrorName(error), on_host[0]);
}
