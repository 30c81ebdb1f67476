// kernel=wave line=9 finding=KO102
#include <cstdio>
#define NTX 32
#define NTY 4

__global__ void wave(const double *cur, const double *old, double *nxt, int ni, int nj, double cc)
{
  int j = blockIdx.x * NTX + threadIdx.x;
  const int first_i = (blockIdx.y * NTY + threadIdx.y) * 4;
  const int end_i = min(first_i + 4, ni - 2);
  int i = max(first_i, 2);
  if (j < 2 || j >= nj - 2 || i >= end_i) return;
  double above_2 = cur[(i - 2) * nj + j];
  double above = cur[(i - 1) * nj + j];
  double here = cur[i * nj + j];
  double below = cur[(i + 1) * nj + j];
  for (; i < end_i; ++i) {
    const double below_2 = cur[(i + 2) * nj + j];
    // fourth order
    double lap = -(1. / 12) * (above_2 + below_2 + cur[i * nj + j - 2] + cur[i * nj + j + 2])
               + (4. / 3) * (above + below + cur[i * nj + j - 1] + cur[i * nj + j + 1]) - 5. * here;
    nxt[i * nj + j] = 2. * here - old[i * nj + j] + cc * lap;
    above_2 = above;
    above = here;
    here = below;
    below = below_2;
  }
}

int main() {
    const int w = 75, h = 52;
    static double a[w * h], b[w * h];
    for (int i = 0; i < w * h; ++i) {
        a[i] = (double)(i * 37 % 201);
        b[i] = (double)(i * 11 % 97);
    }
    double *x, *y, *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof a);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(z, b, sizeof b, cudaMemcpyHostToDevice);
    dim3 thr(NTX, NTY), blk((w + NTX - 1) / NTX, (h + 4 * NTY - 1) / (4 * NTY));
    wave<<<blk, thr>>>(x, y, z, h, w, 0.2);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
