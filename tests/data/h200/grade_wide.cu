// One warp per launch, many address patterns and active masks: wide shared and global accesses, shared and global atomics.
#include <cstdio>
#include <vector>
__global__ void patterns(const int* index, const int* active, const double* d, const float4* q, float* o, int* a, double* e, float4* r) {
  __shared__ double sd[128];
  __shared__ float4 sq[128];
  __shared__ int si[128];
  int t = threadIdx.x;
  for (int k = t; k < 128; k += 32) { sd[k] = k; sq[k] = make_float4(k, k, k, k); si[k] = 0; }
  __syncthreads();
  int i = index[t];
  if (active[t]) {
    double x = sd[i];
    float4 y = sq[i];
    double u = d[i];
    float4 v = q[i];
    e[i] = x + u;
    r[i] = v;
    sd[i + 64] = u;
    sq[i + 64] = v;
    atomicAdd(&si[i], i + 3);
    atomicMin(&si[i + 64], t);
    int w = atomicAdd(&a[i], i);
    int z = atomicExch(&a[i + 64], t);
    o[t] = x + y.x + y.y + y.z + y.w + w + z;
  }
  __syncthreads();
  o[t + 32] = sd[t + 64] + sq[t + 64].x + si[t] + si[t + 64];
}
int main() {
  int *index, *active, *a; double *d, *e; float4 *q, *r; float* o; unsigned seed = 12345;
  cudaMalloc(&index, 128); cudaMalloc(&active, 128); cudaMalloc(&a, 1024); cudaMalloc(&d, 1024); cudaMalloc(&q, 2048);
  cudaMalloc(&o, 512); cudaMalloc(&e, 1024); cudaMalloc(&r, 2048); cudaMemset(d, 0, 1024); cudaMemset(q, 0, 2048); cudaMemset(a, 0, 1024);
  for (int p = 0; p < 36; p++) {
    std::vector<int> h(32), m(32);
    for (int t = 0; t < 32; t++) {
      seed = seed * 1664525u + 1013904223u; int random = seed >> 16;
      int choices[] = {t, 2 * t, 4 * t & 63, t / 2, t / 4, t / 8, (t & 1) + t / 4 * 2, 31 - t, random & 31, random & 63, 7, t / 16, t % 4, t % 8,
                       t % 16, 3 * t & 63, 5 * t % 32, (t & 3) + t / 8 * 4, t ^ 3, (t & 2) + t / 4 * 4, t / 2 * 2, t / 2 * 4, (t / 4 * 4 + (t & 1)) & 63, random & 7};
      h[t] = choices[p % 24];
      int masks[] = {1, t < 20, t % 2, random % 2, t >= 16, t == 5, t % 3 == 0, (t & 2) != 0, t % 4 == 0, t < 9, random % 4 == 0, t != 13};
      m[t] = masks[p < 24 ? (p * 7) % 12 * (p % 3 != 0) : p - 24];
    }
    cudaMemcpy(index, h.data(), 128, cudaMemcpyHostToDevice); cudaMemcpy(active, m.data(), 128, cudaMemcpyHostToDevice);
    patterns<<<1, 32>>>(index, active, d, q, o, a, e, r);
  }
  printf("grade_wide: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
