#include <cstdio>
#include <cstdlib>
#include <vector>
#define NTX 32
#define NTY 8
__global__ void step(const float *__restrict__ cur, const float *__restrict__ old, float *__restrict__ nxt, int ni, int nj, float cc)
{
  int j = blockIdx.x * NTX + threadIdx.x;
  int i = blockIdx.y * NTY + threadIdx.y;
  if (i < 2 || j < 2 || i >= ni - 2 || j >= nj - 2) return;
  float lap = -(1.f / 12) * (cur[(i - 2) * nj + j] + cur[(i + 2) * nj + j] + cur[i * nj + j - 2] + cur[i * nj + j + 2])
            + (4.f / 3) * (cur[(i - 1) * nj + j] + cur[(i + 1) * nj + j] + cur[i * nj + j - 1] + cur[i * nj + j + 1]) - 5.f * cur[i * nj + j];
  nxt[i * nj + j] = 2.f * cur[i * nj + j] - old[i * nj + j] + cc * lap;
}
__global__ void damp(float *u, int ni, int nj)
{
  int j = blockIdx.x * NTX + threadIdx.x;
  int i = blockIdx.y * NTY + threadIdx.y;
  if (i < ni && j < nj && (i < 5 || j < 5 || i >= ni - 5 || j >= nj - 5)) u[i * nj + j] *= 0.95f;
}
int main(int argc, char **argv)
{
  int ni = argc > 1 ? atoi(argv[1]) : 131, nj = argc > 2 ? atoi(argv[2]) : 157;
  std::vector<float> h(ni * nj, 0.f);
  h[(ni / 2) * nj + nj / 2] = 100.f;
  float *p[3];
  for (auto &q : p) { cudaMalloc(&q, h.size() * 4); cudaMemcpy(q, h.data(), h.size() * 4, cudaMemcpyHostToDevice); }
  dim3 thr(NTX, NTY), blk((nj + NTX - 1) / NTX, (ni + NTY - 1) / NTY);
  for (int t = 0; t < 6; ++t) {
    step<<<blk, thr>>>(p[1], p[0], p[2], ni, nj, 0.2f);
    damp<<<blk, thr>>>(p[2], ni, nj);
    float *x = p[0]; p[0] = p[1]; p[1] = p[2]; p[2] = x;
  }
  cudaMemcpy(h.data(), p[1], h.size() * 4, cudaMemcpyDeviceToHost);
  double s = 0; for (float v : h) s += v * v;
  printf("%g\n", s);
}
