// A warp's products of doubles by inline PTX: which lane holds which element, against sums written out.
#include <cstdio>

static int failures = 0;

// a: 16 x 4 by rows, b: 4 x 8 by rows, c: 16 x 8 by rows.
__global__ void sixteen_rows(const double* a, const double* b, double* c) {
  const int lane = threadIdx.x, row = lane / 4, column = lane % 4 * 2;
  double sum[4];
  for (int e = 0; e < 4; e++) sum[e] = c[(row + e / 2 * 8) * 8 + column + e % 2];
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
               "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
               : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
               : "d"(a[row * 4 + lane % 4]), "d"(a[(row + 8) * 4 + lane % 4]), "d"(b[lane % 4 * 8 + lane / 4]));
  for (int e = 0; e < 4; e++) c[(row + e / 2 * 8) * 8 + column + e % 2] = sum[e];
}

__global__ void eight_rows(const double* a, const double* b, double* c) {
  const int lane = threadIdx.x, place = lane / 4 * 8 + lane % 4 * 2;
  double first = c[place], second = c[place + 1];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(first), "+d"(second) : "d"(a[lane]), "d"(b[lane % 4 * 8 + lane / 4]));
  c[place] = first;
  c[place + 1] = second;
}

int main() {
  double *a, *b, *c;
  cudaMallocManaged(&a, 64 * sizeof(double)), cudaMallocManaged(&b, 32 * sizeof(double)), cudaMallocManaged(&c, 128 * sizeof(double));
  for (int rows = 8; rows <= 16; rows += 8) {
    for (int i = 0; i < 64; i++) a[i] = i * 7 % 13 - 4;
    for (int i = 0; i < 32; i++) b[i] = i * 5 % 11 - 3;
    for (int i = 0; i < 128; i++) c[i] = i % 17;
    if (rows == 8) eight_rows<<<1, 32>>>(a, b, c);
    else sixteen_rows<<<1, 32>>>(a, b, c);
    if (cudaDeviceSynchronize()) failures++;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < 8; j++) {
        double wanted = (i * 8 + j) % 17;
        for (int k = 0; k < 4; k++) wanted += a[i * 4 + k] * b[k * 8 + j];
        if (c[i * 8 + j] != wanted && failures++ < 10) printf("%d rows [%d][%d]: %g, not %g\n", rows, i, j, c[i * 8 + j], wanted);
      }
  }
  printf("products_of_doubles %s\n", failures ? "FAIL" : "PASS");
}
