// kernel=wave line=9 finding=KO102
#include <cstdio>
#define NTX 32
#define NTY 4

__global__ void wave(const double *cur, const double *old, double *nxt, int ni, int nj, double cc)
{
  int j = blockIdx.x * NTX + threadIdx.x;
  int i = blockIdx.y * NTY + threadIdx.y;
  if (i < 2 || j < 2 || i >= ni - 2 || j >= nj - 2) return;
  // fourth order
  double lap = -(1. / 12) * (cur[(i - 2) * nj + j] + cur[(i + 2) * nj + j] + cur[i * nj + j - 2] + cur[i * nj + j + 2])
             + (4. / 3) * (cur[(i - 1) * nj + j] + cur[(i + 1) * nj + j] + cur[i * nj + j - 1] + cur[i * nj + j + 1]) - 5. * cur[i * nj + j];
  nxt[i * nj + j] = 2. * cur[i * nj + j] - old[i * nj + j] + cc * lap;
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
    dim3 thr(NTX, NTY), blk((w + NTX - 1) / NTX, (h + NTY - 1) / NTY);
    wave<<<blk, thr>>>(x, y, z, h, w, 0.2);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
