// kernel=mm line=9 finding=KO108
// One index for the whole matrix, and a product that is added to what is there.
__global__ void mm(double *c, const double *a, const double *b, int m, int n, int k) {
  __shared__ double a_tile[64][20];
  __shared__ double b_tile[16][68];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int lane = thread % 32;
  const int warp_i = thread / 64 * 32, warp_j = thread / 32 % 2 * 32;
  // a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
  double r[2][4][4] = {};
  // each round loads a tile while it multiplies the one before; the last round only multiplies
  for (int start = 0; start < k + 16; start += 16) {
    double a_next[8];
    #pragma unroll
    for (int e = 0; e < 64; e += 8) {
      const int i = blockIdx.y * 64 + e + thread / 16;
      const int l = start + thread % 16;
      a_next[e / 8] = i < m && l < k ? a[i * k + l] : 0.0;
    }
    double b_next[8];
    #pragma unroll
    for (int e = 0; e < 16; e += 2) {
      const int j = blockIdx.x * 64 + thread % 64;
      const int l = start + e + thread / 64;
      b_next[e / 2] = j < n && l < k ? b[l * n + j] : 0.0;
    }
    if (start > 0) {
      #pragma unroll
      for (int p = 0; p < 16; p += 4) {
        double a_reg[2][2];
        #pragma unroll
        for (int r2 = 0; r2 < 2; ++r2) {
          a_reg[r2][0] = a_tile[warp_i + r2 * 16 + lane / 4][p + lane % 4];
          a_reg[r2][1] = a_tile[warp_i + r2 * 16 + lane / 4 + 8][p + lane % 4];
        }
        double b_reg[4];
        #pragma unroll
        for (int c2 = 0; c2 < 4; ++c2)
          b_reg[c2] = b_tile[p + lane % 4][warp_j + c2 * 8 + lane / 4];
        #pragma unroll
        for (int r2 = 0; r2 < 2; ++r2) {
          #pragma unroll
          for (int c2 = 0; c2 < 4; ++c2) {
            asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
              : "+d"(r[r2][c2][0]), "+d"(r[r2][c2][1]), "+d"(r[r2][c2][2]), "+d"(r[r2][c2][3])
              : "d"(a_reg[r2][0]), "d"(a_reg[r2][1]), "d"(b_reg[c2]));
          }
        }
      }
    }
    __syncthreads();
    #pragma unroll
    for (int e = 0; e < 64; e += 8)
      a_tile[e + thread / 16][thread % 16] = a_next[e / 8];
    #pragma unroll
    for (int e = 0; e < 16; e += 2)
      b_tile[e + thread / 64][thread % 64] = b_next[e / 2];
    __syncthreads();
  }
  #pragma unroll
  for (int r2 = 0; r2 < 2; ++r2) {
    #pragma unroll
    for (int c2 = 0; c2 < 4; ++c2) {
      #pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = blockIdx.y * 64 + warp_i + r2 * 16 + lane / 4 + e / 2 * 8;
        const int j = blockIdx.x * 64 + warp_j + c2 * 8 + lane % 4 * 2 + e % 2;
        if (i < m && j < n) {
          c[i * n + j] += r[r2][c2][e];
        }
      }
    }
  }
}

void launch(double *c, const double *a, const double *b, int m, int n, int k) {
  dim3 threads(16, 8);
  mm<<<dim3((n + 63) / 64, (m + 63) / 64), threads>>>(c, a, b, m, n, k);
}
